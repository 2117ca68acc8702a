// Turns a refusal into a typed error. It reads the HTTP status and the Status object, which Kubernetes sends as an answer or as a watch event.
import type { Instant } from '@dayfly/kit/clock'
import { type Answer, TransportError } from '@dayfly/kit/http'
import { retryAfterMs } from '@dayfly/kit/retry-after'
import { KubernetesError, type KubernetesErrorKind } from './errors.ts'
import { parseStatus, type Status } from './parse.ts'

const textLengthMax = 300
/** The maximum wait that a server may ask for. */
const retryAfterMsMax = 3_600_000

/** Returns the error of an answer of 400 and above. After a 5xx to a `write`, the server may have carried it out. */
export function errorOfAnswer(answer: Answer, write: boolean, now: Instant): KubernetesError {
  const { status, body, headers } = answer
  const parsed = body.kind === 'json' ? parseStatus(body.value) : undefined
  // An HTML page comes from a proxy and is written for browsers. Its status is enough.
  const text = body.kind === 'text' && !/^\s*</.test(body.text) ? body.text.trim().slice(0, textLengthMax) : ''
  const wait = retryAfterMs(headers, now, { maxMs: retryAfterMsMax }) ?? waitOf(parsed)
  return new KubernetesError(kindOf(status, parsed), parsed?.message || text || `the API server answered ${status}`, {
    status,
    causes: parsed?.causes ?? [],
    about: parsed?.detailsName || undefined,
    retryAt: wait === undefined ? undefined : now + wait,
    perhapsDone: write && status >= 500,
  })
}

/** Returns the error of a watch's ERROR event, `unavailable` if it has no Status. */
export function errorOfEvent(object: unknown, now: Instant): KubernetesError {
  const parsed = parseStatus(object)
  const wait = waitOf(parsed)
  return new KubernetesError(kindOf(parsed?.code ?? 0, parsed), parsed?.message || 'the watch reported an error', {
    status: parsed?.code ?? 0,
    causes: parsed?.causes ?? [],
    retryAt: wait === undefined ? undefined : now + wait,
  })
}

/** Returns the error of a request without a usable answer. `perhapsDone` is false for reads, because they change nothing. */
export function errorOfTransport(error: TransportError, write: boolean): KubernetesError {
  const sent = error.kind === 'lost' || error.kind === 'timeout'
  return new KubernetesError('unavailable', error.message, { perhapsDone: write && sent, cause: error })
}

/** Returns the error of an answer below 400 with unusable content. */
export function errorOfBadAnswer(what: string, write: boolean): KubernetesError {
  return errorOfTransport(new TransportError('lost', what), write)
}

function kindOf(status: number, parsed: Status | undefined): KubernetesErrorKind {
  const reason = parsed?.reason ?? ''
  if (status === 410 || reason === 'Expired' || reason === 'Gone') return 'expired'
  if (status === 429) return 'rate-limited'
  if (status === 401) return 'unauthorized'
  if (status === 403) return parsed?.message.includes('exceeded quota:') ? 'quota' : 'forbidden'
  if (status === 404) return 'not-found'
  if (status === 409) return reason === 'AlreadyExists' ? 'already-exists' : 'conflict'
  if (status === 422) return 'invalid'
  return status >= 400 && status < 500 ? 'bad-request' : 'unavailable'
}

function waitOf(status: Status | undefined): number | undefined {
  const seconds = status?.retryAfterSeconds
  return seconds === undefined ? undefined : Math.min(retryAfterMsMax, seconds * 1000)
}
