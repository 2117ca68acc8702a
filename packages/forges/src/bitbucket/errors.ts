// The errors that Bitbucket and the way to it can produce (docs/reference/bitbucket.md#s2-2). No message holds a secret.
import type { Instant } from '@dayfly/kit/clock'
import type { Answer, Request, TransportError } from '@dayfly/kit/http'
import { textAt } from '@dayfly/kit/read-json'
import { retryAfterMs } from '@dayfly/kit/retry-after'
import type { Failure, FailureReason } from '@dayfly/runner-set/model/failure'
import { PortError, type PortErrorKind } from '@dayfly/runner-set/model/port-error'

const port = 'bitbucket'
const retryAfterMsMax = 3_600_000
/** A 429 that states no time is tried again after this: the limit counts any 60 minutes, so some calls are free soon. */
const limitedMs = 60_000

export function bitbucketError(kind: PortErrorKind, message: string, retryAt?: Instant): PortError {
  return new PortError(port, kind, message, { retryAt })
}

const kinds: Readonly<Partial<Record<number, PortErrorKind>>> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'not-found',
  409: 'conflict',
  429: 'rate-limited',
}

/** Returns the error in a response whose status is not 2xx. */
export function errorFromAnswer(request: Request, answer: Answer, now: Instant): PortError {
  const { status, headers } = answer
  const kind = kinds[status] ?? (status >= 500 ? 'unavailable' : 'bad-response')
  const asked = retryAfterMs(headers, now, { maxMs: retryAfterMsMax })
  const waitMs = asked ?? (kind === 'rate-limited' ? limitedMs : undefined)
  const text = redact(textOf(answer), request).slice(0, 600)
  const message = `${request.method} ${request.path}: ${status} ${text}${adviceFor(status, request)}`
  return new PortError(port, kind, message, {
    retryAt: waitMs === undefined ? undefined : now + waitMs,
    details: { status, method: request.method, path: request.path, requestId: headers['x-request-id'] },
  })
}

/** Returns the HTTP status of the response that the error comes from. */
export function statusOf(error: PortError): number | undefined {
  const { status } = error.details
  return typeof status === 'number' ? status : undefined
}

function adviceFor(status: number, request: Request): string {
  const isBasic = request.headers['authorization']?.startsWith('Basic ') && !request.path.endsWith('/access_token')
  if (status !== 401 || !isBasic) return ''
  return '. App passwords ended on 2026-07-28: use an API token with the e-mail of its account, or an OAuth consumer.'
}

export function errorFromTransport(request: Request, error: TransportError): PortError {
  const next = lastingNext[error.kind]
  const message = `${request.method} ${request.path}: ${redact(error.message, request)}${next ?? ''}`
  return new PortError(port, next === undefined ? 'unavailable' : 'bad-config', message, {
    details: { method: request.method, path: request.path, transport: error.kind },
    cause: error,
  })
}

/** The next step of a failure that does not pass by itself. */
const lastingNext: Readonly<Partial<Record<TransportError['kind'], string>>> = {
  certificate: '. If a proxy or the server has a private certificate authority, name it in spec.bitbucket.ca.',
  proxy:
    '. Check spec.bitbucket.proxy, its Secret with the keys username and password, or HTTPS_PROXY of the controller.',
}

/** Returns the error for a response that arrived complete but does not hold what it must. */
export function badAnswer(sentence: string): PortError {
  return new PortError(port, 'bad-response', `Bitbucket's response cannot be used: ${sentence}.`)
}

const reasons: Readonly<Partial<Record<PortErrorKind, FailureReason>>> = {
  unauthorized: 'forge-unauthorized',
  'rate-limited': 'forge-limited',
  'bad-config': 'forge-misconfigured',
  'not-found': 'forge-misconfigured',
}

/** Returns the failure that the operator reads while the runners cannot be listed. */
export function failureOf(error: PortError): Failure {
  return { reason: reasons[error.kind] ?? 'forge-unreachable', message: error.message }
}

function textOf({ body }: Answer): string {
  if (body.kind === 'text') return body.text.trim()
  const value = body.kind === 'json' ? body.value : undefined
  return textAt(value, 'error', 'message') ?? textAt(value, 'error_description') ?? 'no message'
}

/** Servers and proxies echo what they were sent. */
function redact(text: string, request: Request): string {
  const sent = request.headers['authorization']?.split(' ')[1]
  return sent ? text.replaceAll(sent, '[secret]') : text
}
