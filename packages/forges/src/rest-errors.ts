// The errors of a forge with a REST API, and of the way to it. No message holds a secret.
import type { Instant } from '@dayfly/kit/clock'
import type { Answer, Request, TransportError } from '@dayfly/kit/http'
import { retryAfterMs } from '@dayfly/kit/retry-after'
import type { Failure, FailureReason } from '@dayfly/runner-set/model/failure'
import { PortError, type PortErrorKind } from '@dayfly/runner-set/model/port-error'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'

/** The words in the errors of one forge. */
type Wording = {
  readonly forge: ForgeKind
  /** The forge in sentences, for example `Bitbucket`. */
  readonly name: string
  /** Returns the forge's own sentence in an answer. */
  readonly textOf: (answer: Answer) => string
  /** Returns what to do about a refused request, with the space before it; empty if the text says it. */
  readonly adviceFor: (answer: Answer, request: Request) => string
}

export type RestErrors = {
  readonly create: (kind: PortErrorKind, message: string, retryAt?: Instant) => PortError
  /** Returns the error in a response whose status is not 2xx. */
  readonly fromAnswer: (request: Request, answer: Answer, now: Instant) => PortError
  readonly fromTransport: (request: Request, error: TransportError) => PortError
  /** Returns the error for a response that arrived complete but does not hold what it must. */
  readonly badAnswer: (sentence: string) => PortError
}

const retryAfterMsMax = 3_600_000
/** A 429 that states no time is tried again after this. */
const limitedMs = 60_000

const kinds: Readonly<Partial<Record<number, PortErrorKind>>> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'not-found',
  409: 'conflict',
  429: 'rate-limited',
}

export function restErrors({ forge, name, textOf, adviceFor }: Wording): RestErrors {
  return {
    create: (kind, message, retryAt) => new PortError(forge, kind, message, { retryAt }),
    fromAnswer: (request, answer, now) => {
      const { status, headers } = answer
      const kind = kinds[status] ?? (status >= 500 ? 'unavailable' : 'bad-response')
      const asked = retryAfterMs(headers, now, { maxMs: retryAfterMsMax })
      const waitMs = asked ?? (kind === 'rate-limited' ? limitedMs : undefined)
      const text = redact(textOf(answer), request).slice(0, 600)
      const message = `${request.method} ${request.path}: ${status} ${text}${adviceFor(answer, request)}`
      return new PortError(forge, kind, message, {
        retryAt: waitMs === undefined ? undefined : now + waitMs,
        details: { status, method: request.method, path: request.path, requestId: headers['x-request-id'] },
      })
    },
    fromTransport: (request, error) => {
      const next = lastingNext(forge, error.kind)
      const message = `${request.method} ${request.path}: ${redact(error.message, request)}${next ?? ''}`
      return new PortError(forge, next === undefined ? 'unavailable' : 'bad-config', message, {
        details: { method: request.method, path: request.path, transport: error.kind },
        cause: error,
      })
    },
    badAnswer: (sentence) => new PortError(forge, 'bad-response', `${name}'s response cannot be used: ${sentence}.`),
  }
}

/** Returns the HTTP status of the response that the error comes from. */
export function statusOf(error: PortError): number | undefined {
  const { status } = error.details
  return typeof status === 'number' ? status : undefined
}

/** Returns the next step of a failure that does not pass by itself. */
function lastingNext(forge: ForgeKind, kind: TransportError['kind']): string | undefined {
  if (kind === 'certificate') {
    return `. If a proxy or the server has a private certificate authority, name it in spec.${forge}.ca.`
  }
  if (kind !== 'proxy') return undefined
  return `. Check spec.${forge}.proxy, its Secret with the keys username and password, or HTTPS_PROXY of the controller.`
}

const reasons: Readonly<Partial<Record<PortErrorKind, FailureReason>>> = {
  unauthorized: 'forge-unauthorized',
  'rate-limited': 'forge-limited',
  'bad-config': 'forge-misconfigured',
  'not-found': 'forge-misconfigured',
}

/** Returns the failure that the operator reads while the forge cannot be polled. */
export function failureOf(error: PortError): Failure {
  return { reason: reasons[error.kind] ?? 'forge-unreachable', message: error.message }
}

/** Servers and proxies echo what they were sent. */
function redact(text: string, request: Request): string {
  const sent = request.headers['authorization']?.split(' ')[1]
  return sent ? text.replaceAll(sent, '[secret]') : text
}
