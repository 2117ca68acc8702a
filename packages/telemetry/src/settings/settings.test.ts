// Tests the meaning of OpenTelemetry's environment variables, and the refusal of wrong values.
import { describe, expect, it } from 'vitest'
import { type Environment, readSettings } from './settings.ts'
import { TelemetrySettingsError } from './settings-error.ts'

const endpoint = 'http://collector:4318'
const on = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }

it.each<[string, Environment]>([
  ['without variables', {}],
  ['with an empty address', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ['with a name alone', { OTEL_SERVICE_NAME: 'ci' }],
  ['if the SDK is disabled', { ...on, OTEL_SDK_DISABLED: 'True' }],
  ['if both exporters have the value none', { ...on, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
])('is off %s', (_title, environment) => {
  expect(readSettings(environment)).toBeUndefined()
})

describe('the targets', () => {
  it('are below the common address', () => {
    expect(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example/otlp/' })).toMatchObject({
      traces: { url: 'https://otlp.example/otlp/v1/traces', timeoutMs: 10_000, headers: {}, queueMax: 16_384 },
      metrics: { url: 'https://otlp.example/otlp/v1/metrics', intervalMs: 60_000 },
      serviceName: undefined,
      resource: {},
    })
  })

  it('are the addresses of the signals as they are', () => {
    const { traces, metrics } = readSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo:4318/x' }) ?? {}
    expect(traces?.url).toBe('http://tempo:4318/x')
    expect(metrics).toBeUndefined()
  })

  it('lack a signal whose exporter has the value none', () => {
    expect(readSettings({ ...on, OTEL_TRACES_EXPORTER: 'none' })).toMatchObject({ traces: undefined, metrics: {} })
  })

  it('have the values of the signal before the common ones', () => {
    const settings = readSettings({
      ...on,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '7000',
      OTEL_METRIC_EXPORT_INTERVAL: '15000',
      OTEL_BSP_MAX_QUEUE_SIZE: '4096',
    })
    expect(settings).toMatchObject({
      traces: { headers: { authorization: 'Basic YTpi', 'x-a': '2' }, timeoutMs: 5_000, queueMax: 4_096 },
      metrics: { headers: { 'x-a': '1' }, timeoutMs: 7_000, intervalMs: 15_000 },
    })
  })

  it('have the certificates of the files', () => {
    const file = import.meta.filename
    const settings = readSettings({ ...on, OTEL_EXPORTER_OTLP_CERTIFICATE: file })
    expect(settings?.traces?.tls.ca).toContain('have the certificates of the files')
  })
})

it('reads the name and the attributes of the resource', () => {
  expect(
    readSettings({ ...on, OTEL_SERVICE_NAME: 'ci', OTEL_RESOURCE_ATTRIBUTES: 'k8s.cluster.name=a%2Cb,x=' }),
  ).toMatchObject({ serviceName: 'ci', resource: { 'k8s.cluster.name': 'a,b', x: '' } })
})

describe('a wrong value is refused with its variable and a next step', () => {
  it.each<[string, string]>([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:canary@collector'],
    ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'nowhere'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%canary'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', '=canary'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zip'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
    ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '0'],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/no/such/file'],
    ['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', 'Delta'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_METRICS_EXPORTER', 'prometheus'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '-1'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', 'many'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'cluster'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ])('%s=%s', (name, value) => {
    const error = errorOf({ ...on, [name]: value })
    expect(error).toBeInstanceOf(TelemetrySettingsError)
    expect(error.message).toMatch(new RegExp(`^${name} .*\\.$`))
    expect(error.next).toMatch(/\.$/)
    expect(error.message + error.next).not.toContain('canary')
  })

  it('OTEL_TRACES_SAMPLER_ARG=2', () => {
    const error = errorOf({ ...on, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' })
    expect(error.message).toBe('OTEL_TRACES_SAMPLER_ARG is "2".')
  })
})

function errorOf(environment: Environment): TelemetrySettingsError {
  try {
    readSettings(environment)
  } catch (error) {
    return error as TelemetrySettingsError
  }
  throw new Error('nothing was refused')
}
