// From a refusal to a typed error: by the HTTP status and the Status object, which Kubernetes sends as an answer or as an event of a watch.
import type { Instant } from '../lib/clock.ts'
import { type Answer, TransportError } from '../lib/http.ts'
import { KubernetesError, type KubernetesErrorKind } from './errors.ts'
import { parseStatus, type Status } from './parse.ts'

const textLengthMax = 300

/** The error of an answer of 400 and above. `write`: a 5xx to a write leaves open whether it was carried out. */
export function errorOfAnswer(answer: Answer, write: boolean, now: Instant): KubernetesError {
  const { status, body, headers } = answer
  const parsed = body.kind === 'json' ? parseStatus(body.value) : undefined
  // A page of a proxy in between is for browsers: its status says as much.
  const text = body.kind === 'text' && !/^\s*</.test(body.text) ? body.text.trim().slice(0, textLengthMax) : ''
  const retryAfter = retryAfterMs(headers['retry-after'], now) ?? secondsToMs(parsed?.retryAfterSeconds)
  return new KubernetesError(kindOf(status, parsed), parsed?.message || text || `the API server answered ${status}`, {
    status,
    causes: parsed?.causes ?? [],
    about: parsed?.detailsName || undefined,
    retryAt: retryAfter === undefined ? undefined : now + retryAfter,
    perhapsDone: write && status >= 500,
  })
}

/** The error of a watch's ERROR event; `unavailable` when it carries no Status. */
export function errorOfEvent(object: unknown, now: Instant): KubernetesError {
  const parsed = parseStatus(object)
  const retryAfter = secondsToMs(parsed?.retryAfterSeconds)
  return new KubernetesError(kindOf(parsed?.code ?? 0, parsed), parsed?.message || 'the watch reported an error', {
    status: parsed?.code ?? 0,
    causes: parsed?.causes ?? [],
    retryAt: retryAfter === undefined ? undefined : now + retryAfter,
  })
}

/** The error of a request without a usable answer. Reads change nothing, so they are never perhaps done. */
export function errorOfTransport(error: TransportError, write: boolean): KubernetesError {
  const sent = error.kind === 'lost' || error.kind === 'timeout'
  return new KubernetesError('unavailable', error.message, { perhapsDone: write && sent, cause: error })
}

/** The error of an answer below 400 that is not what was asked for. */
export function errorOfNonsense(what: string, write: boolean): KubernetesError {
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

/** A Retry-After header in milliseconds: seconds or a date. */
function retryAfterMs(header: string | undefined, now: Instant): number | undefined {
  if (header === undefined || header === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}
