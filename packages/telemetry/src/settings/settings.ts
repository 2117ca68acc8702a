// Reads OpenTelemetry's environment variables, and refuses those that the SDK would ignore without a word.
// Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and …/protocol/exporter/
import { readFileSync } from 'node:fs'
import { parseKeyPairs } from './key-pairs.ts'
import { TelemetrySettingsError } from './settings-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where one signal goes. */
export type Target = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How long one export may take, with its repetitions. */
  readonly timeoutMs: number
  readonly tls: Tls
}

/** PEM texts. */
export type Tls = { readonly ca?: string; readonly cert?: string; readonly key?: string }

export type Settings = {
  /** Undefined: no traces. */
  readonly traces: (Target & { readonly queueMax: number }) | undefined
  /** Undefined: no metrics. `intervalMs`: between two exports. */
  readonly metrics: (Target & { readonly intervalMs: number }) | undefined
  /** Undefined: the default name. */
  readonly serviceName: string | undefined
  readonly resource: Readonly<Record<string, string>>
}

type Signal = 'TRACES' | 'METRICS'

/** More than the SDK's 2,048: a life has about eight spans, and hundreds of lives may end at once. */
const queueMax = 16_384
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`])

/** Returns undefined if telemetry is off. Throws a `TelemetrySettingsError` if a variable cannot be used. */
export function readSettings(environment: Environment): Settings | undefined {
  if (textOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const [traces, metrics] = [targetOf(environment, 'TRACES'), targetOf(environment, 'METRICS')]
  if (!traces && !metrics) return undefined
  checkSampler(environment)
  oneOf(environment, 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', ['cumulative', 'delta', 'lowmemory'])
  for (const name of ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'OTEL_BSP_SCHEDULE_DELAY', 'OTEL_BSP_EXPORT_TIMEOUT']) {
    numberOf(environment, name)
  }
  return {
    traces: traces && { ...traces, queueMax: numberOf(environment, 'OTEL_BSP_MAX_QUEUE_SIZE') ?? queueMax },
    metrics: metrics && { ...metrics, intervalMs: numberOf(environment, 'OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000 },
    serviceName: textOf(environment, 'OTEL_SERVICE_NAME'),
    resource: pairsOf(environment, 'OTEL_RESOURCE_ATTRIBUTES'),
  }
}

function targetOf(environment: Environment, signal: Signal): Target | undefined {
  const own = (name: string) => [`OTEL_EXPORTER_OTLP_${signal}_${name}`, `OTEL_EXPORTER_OTLP_${name}`] as const
  if (oneOf(environment, `OTEL_${signal}_EXPORTER`, ['otlp', 'none']) === 'none') return undefined
  const url = urlOf(environment, signal)
  if (url === undefined) return undefined
  const names = [...own('PROTOCOL'), ...own('COMPRESSION')]
  for (const name of names) checkTransport(environment, name)
  const [headersOfSignal, headers] = own('HEADERS')
  const [timeoutOfSignal, timeout] = own('TIMEOUT')
  return {
    url,
    headers: { ...pairsOf(environment, headers), ...pairsOf(environment, headersOfSignal) },
    timeoutMs: numberOf(environment, timeoutOfSignal) ?? numberOf(environment, timeout) ?? 10_000,
    tls: {
      ...fileOf(environment, 'ca', own('CERTIFICATE')),
      ...fileOf(environment, 'cert', own('CLIENT_CERTIFICATE')),
      ...fileOf(environment, 'key', own('CLIENT_KEY')),
    },
  }
}

/** The endpoint of one signal is used as it is. The common one gets the path of the signal. */
function urlOf(environment: Environment, signal: Signal): string | undefined {
  const name = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`
  const own = textOf(environment, name)
  if (own !== undefined) return parseUrl(name, own).href
  const common = textOf(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (common === undefined) return undefined
  const url = parseUrl('OTEL_EXPORTER_OTLP_ENDPOINT', common)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`
  return url.href
}

/** The message leaves the value out: a user may have written a password into it. */
function parseUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) {
    if (url.username === '' && url.password === '') return url
    throw new TelemetrySettingsError(
      `${name} contains a user name or a password.`,
      'Put credentials into OTEL_EXPORTER_OTLP_HEADERS.',
    )
  }
  throw new TelemetrySettingsError(
    `${name} is no address of a collector.`,
    'Set an address such as http://collector.monitoring:4318.',
  )
}

function checkTransport(environment: Environment, name: string): void {
  if (name.endsWith('COMPRESSION')) {
    oneOf(environment, name, ['gzip', 'none'])
    return
  }
  const protocol = textOf(environment, name)
  if (protocol === undefined || protocol === 'http/json') return
  throw new TelemetrySettingsError(
    `${name} is "${protocol}", but Dayfly sends OTLP only as http/json.`,
    'Remove the variable, or set http/json. A collector reads it at its port for HTTP, usually 4318.',
  )
}

function checkSampler(environment: Environment): void {
  const sampler = oneOf(environment, 'OTEL_TRACES_SAMPLER', samplers)
  const ratio = textOf(environment, 'OTEL_TRACES_SAMPLER_ARG')
  if (!sampler?.endsWith('ratio') || ratio === undefined || (Number(ratio) >= 0 && Number(ratio) <= 1)) return
  throw new TelemetrySettingsError(
    `OTEL_TRACES_SAMPLER_ARG is "${ratio}".`,
    'Set the share of traces to send, from 0 to 1.',
  )
}

/** @param names the first one that is set names the file */
function fileOf(environment: Environment, as: keyof Tls, names: readonly string[]): Tls {
  const name = names.find((each) => textOf(environment, each) !== undefined)
  const file = name && textOf(environment, name)
  if (file === undefined) return {}
  try {
    return { [as]: readFileSync(file, 'utf8') }
  } catch {
    throw new TelemetrySettingsError(
      `${name} names the file ${file}, which cannot be read.`,
      'Set a readable PEM file.',
    )
  }
}

/** The SDK ignores a number that it cannot read. Zero has no useful meaning in any of these variables. */
function numberOf(environment: Environment, name: string): number | undefined {
  const text = textOf(environment, name)
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new TelemetrySettingsError(`${name} is "${text}".`, 'Set a positive whole number below 1,000,000,000.')
}

function pairsOf(environment: Environment, name: string): Readonly<Record<string, string>> {
  const pairs = parseKeyPairs(textOf(environment, name) ?? '')
  if (pairs) return pairs
  throw new TelemetrySettingsError(
    `${name} is no list of key=value pairs.`,
    'Write key=value,key=value, and encode special characters with percent signs.',
  )
}

function oneOf(environment: Environment, name: string, values: readonly string[]): string | undefined {
  const text = textOf(environment, name)
  if (text === undefined || values.includes(text)) return text
  throw new TelemetrySettingsError(`${name} is "${text}".`, `Set one of: ${values.join(', ')}.`)
}

/** An empty variable counts as not set, by the specification. */
function textOf(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim()
  return text === '' ? undefined : text
}
