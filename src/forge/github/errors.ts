// What GitHub can answer instead of what was asked (scale-set protocol 5), as one kind of error. No message holds a secret.
import type { Instant } from '../../lib/clock.ts'
import type { Answer, Request, TransportError } from '../../lib/http.ts'
import { PortError, type PortErrorKind } from '../../model/port-error.ts'
import { asWire, textField } from './wire.ts'

/** GitHub's own reason, finer than the port's kind. */
export type GitHubReason = keyof typeof portKinds

const portKinds = {
  'bad-url': 'bad-config',
  'bad-set': 'bad-config',
  'certificate-refused': 'bad-config',
  'group-missing': 'bad-config',
  'credential-refused': 'unauthorized',
  'token-refused': 'unauthorized',
  'rate-limited': 'rate-limited',
  'runner-exists': 'conflict',
  'runner-missing': 'not-found',
  'job-still-running': 'conflict',
  'session-taken': 'conflict',
  'session-gone': 'not-found',
  'scale-set-gone': 'not-found',
  'scale-set-collides': 'conflict',
  'not-connected': 'unavailable',
  'not-found': 'not-found',
  'timed-out': 'unavailable',
  unreachable: 'unavailable',
  'server-failed': 'unavailable',
  refused: 'bad-response',
  'bad-answer': 'bad-response',
} as const satisfies Record<string, PortErrorKind>

export class GitHubError extends PortError {
  readonly reason: GitHubReason
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number

  constructor(
    reason: GitHubReason,
    message: string,
    more: {
      readonly status?: number
      readonly retryAt?: Instant | undefined
      readonly details?: PortError['details']
      readonly cause?: unknown
    } = {},
  ) {
    super('github', portKinds[reason], message, more)
    this.name = 'GitHubError'
    this.reason = reason
    this.status = more.status ?? 0
  }
}

export function githubError(reason: GitHubReason, message: string, details: PortError['details'] = {}): GitHubError {
  return new GitHubError(reason, message, { details })
}

export function isGitHubError(error: unknown, ...reasons: readonly GitHubReason[]): error is GitHubError {
  return error instanceof GitHubError && reasons.includes(error.reason)
}

/** What a status means for one operation, where the answer names no type. */
export type StatusMeaning = Readonly<Partial<Record<number, GitHubReason>>>

/** The error in an answer of 300 and above, or in one that is not what was asked for. */
export function errorFromAnswer(
  request: Request,
  answer: Answer,
  now: Instant,
  meaning: StatusMeaning = {},
): GitHubError {
  const { typeName, message } = readException(answer)
  const activityId = answer.headers['activityid'] || undefined
  const requestId = answer.headers['x-github-request-id'] || undefined
  const retryAt = retryInstant(answer, now)
  const reason = reasonOf(answer, typeName, meaning)
  const ids = [activityId && `activity ${activityId}`, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const text = redact(message ?? 'unknown error', request).slice(0, 600)
  return new GitHubError(reason, `${nameOf(request)}: ${answer.status} ${text}${ids && ` (${ids})`}`, {
    status: answer.status,
    retryAt: reason === 'rate-limited' ? (retryAt ?? now + 60_000) : retryAt,
    details: { status: answer.status, typeName, activityId, requestId, method: request.method, path: request.path },
  })
}

/** An answer that arrived well but does not hold what it must. */
export function badAnswer(what: string, status = 200): GitHubError {
  return new GitHubError('bad-answer', `GitHub's answer cannot be used: ${what}.`, { status })
}

export function errorFromTransport(request: Request, error: TransportError): GitHubError {
  const reason =
    error.kind === 'certificate' ? 'certificate-refused' : error.kind === 'timeout' ? 'timed-out' : 'unreachable'
  const details = { method: request.method, path: request.path, transport: error.kind }
  return new GitHubError(reason, redact(error.message, request), { details, cause: error })
}

/** When to come again: Retry-After in seconds or as a date, or the reset of an exhausted REST budget. */
export function retryInstant(answer: Answer, now: Instant): Instant | undefined {
  const after = answer.headers['retry-after']
  if (after !== undefined && /^\d{1,9}$/.test(after)) return now + Number(after) * 1000
  if (after !== undefined && Number.isFinite(Date.parse(after))) return Math.max(now, Date.parse(after))
  const reset = answer.headers['x-ratelimit-reset']
  if (answer.headers['x-ratelimit-remaining'] === '0' && reset && /^\d{1,12}$/.test(reset)) return Number(reset) * 1000
  return undefined
}

/** A serialized .NET exception, a REST error, or plain text. */
function readException(answer: Answer): {
  readonly typeName?: string | undefined
  readonly message?: string | undefined
} {
  if (answer.body.kind === 'text') return { message: answer.body.text.trim() || undefined }
  const wire = answer.body.kind === 'json' ? asWire(answer.body.value) : undefined
  if (!wire) return {}
  return { typeName: textField(wire, 'typeName'), message: textField(wire, 'message') ?? JSON.stringify(wire) }
}

/** Parts of assembly-qualified names. The type says what happened; the status only hints at it. */
const exceptions: readonly (readonly [part: string, reason: GitHubReason])[] = [
  ['AgentExistsException', 'runner-exists'],
  ['AgentNotFoundException', 'runner-missing'],
  ['JobStillRunningException', 'job-still-running'],
  ['RunnerScaleSetSessionConflictException', 'session-taken'],
  ['RunnerScaleSetSessionExpiredException', 'session-gone'],
  ['RunnerScaleSetNotFoundException', 'scale-set-gone'],
  ['RunnerScaleSetExistsException', 'scale-set-collides'],
  ['RunnerAdminException', 'session-gone'],
]

function reasonOf(answer: Answer, typeName: string | undefined, meaning: StatusMeaning): GitHubReason {
  const named = typeName && exceptions.find(([part]) => typeName.includes(part))
  if (named) return named[1]
  const { status, headers } = answer
  const limited = status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined)
  if (status === 429 || limited) return 'rate-limited'
  const meant = meaning[status]
  if (meant) return meant
  if (status === 401 || status === 403) return 'token-refused'
  if (status === 404) return 'not-found'
  return status >= 500 ? 'server-failed' : 'refused'
}

function nameOf(request: Request): string {
  return `${request.method} ${request.path}`
}

const tokenShapes = /eyJ[\w-]+\.[\w-]*\.?[\w-]*|\b(?:gh[a-z]_|github_pat_)\w+/g

/** Servers and proxies echo what they were sent: tokens are taken out, by value and by shape. */
function redact(text: string, request: Request): string {
  const sent = request.headers['authorization']?.split(' ')[1]
  const clean = sent ? text.replaceAll(sent, '[token]') : text
  return clean.replace(tokenShapes, '[token]')
}
