// The errors that GitHub and the way to it can produce (docs/reference/scale-set-protocol.md#s5). No message holds a secret.
import type { Instant } from '@dayfly/kit/clock'
import type { Answer, Request, TransportError } from '@dayfly/kit/http'
import { asJsonObject } from '@dayfly/kit/read-json'
import { PortError, type PortErrorKind } from '@dayfly/runner-set/model/port-error'
import { limitEnd, retryInstant } from './server-time.ts'
import { textField } from './wire.ts'

/** The reason of a failure in terms of GitHub's protocol, finer than the port's kind. */
export type GitHubReason = keyof typeof portKinds

const portKinds = {
  'bad-url': 'bad-config',
  'bad-set': 'bad-config',
  'bad-credential': 'bad-config',
  'certificate-refused': 'bad-config',
  'proxy-refused': 'bad-config',
  'group-missing': 'bad-config',
  'credential-refused': 'unauthorized',
  'token-refused': 'unauthorized',
  'rate-limited': 'rate-limited',
  'budget-spent': 'rate-limited',
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
  /** The HTTP status; 0 if there was no response. */
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

/** The reason that a status stands for in one operation, if the response names no exception type. */
export type StatusMeaning = Readonly<Partial<Record<number, GitHubReason>>>

/** Returns the error in a response whose status is not 2xx, or that is not the expected one. */
export function errorFromAnswer(
  request: Request,
  answer: Answer,
  now: Instant,
  meaning: StatusMeaning = {},
): GitHubError {
  const { status, headers } = answer
  const exception = readException(answer)
  const { typeName, message } = exception
  const activityId = headers['activityid'] || undefined
  const requestId = headers['x-github-request-id'] || undefined
  const reason = reasonOf(answer, exception, meaning)
  const ids = [activityId && `activity ${activityId}`, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const text = redact(message ?? 'unknown error', request).slice(0, 600)
  return new GitHubError(
    reason,
    `${nameOf(request)}: ${status} ${redirection(request, answer)}${text}${ids && ` (${ids})`}`,
    {
      status,
      retryAt: reason === 'rate-limited' ? limitEnd(headers, now) : retryInstant(headers, now),
      details: { status, typeName, activityId, requestId, method: request.method, path: request.path },
    },
  )
}

/** Returns the error for a response that arrived complete but does not hold what it must. */
export function badAnswer(what: string, status = 200): GitHubError {
  return new GitHubError('bad-answer', `GitHub's response cannot be used: ${what}.`, { status })
}

export function errorFromTransport(request: Request, error: TransportError): GitHubError {
  const { reason, next } = transportReasons[error.kind]
  const details = { method: request.method, path: request.path, transport: error.kind }
  return new GitHubError(reason, `${redact(error.message, request)}${next}`, { details, cause: error })
}

const transportReasons: Readonly<
  Record<TransportError['kind'], { readonly reason: GitHubReason; readonly next: string }>
> = {
  connect: { reason: 'unreachable', next: '' },
  lost: { reason: 'unreachable', next: '' },
  timeout: { reason: 'timed-out', next: '' },
  certificate: {
    reason: 'certificate-refused',
    next: '. If the server has a private certificate authority, name it in spec.github.ca.',
  },
  proxy: {
    reason: 'proxy-refused',
    next: '. Check spec.github.proxy, its Secret with the keys username and password, or HTTPS_PROXY of the controller.',
  },
}

/** Returns whether the connection broke after the request was sent. */
export function isCut(error: unknown): boolean {
  return error instanceof GitHubError && error.details['transport'] === 'lost'
}

/** Returns the address that the response redirects to; undefined if it is no redirect. */
export function redirectTarget(request: Request, answer: Answer): URL | undefined {
  const location = answer.headers['location']
  if (answer.status < 300 || answer.status > 399 || !location) return undefined
  const base = `${request.origin ?? 'http://localhost'}${request.path}`
  return URL.canParse(location, base) ? new URL(location, base) : undefined
}

/** The query of the target is left out: it may hold a credential. */
function redirection(request: Request, answer: Answer): string {
  const target = redirectTarget(request, answer)
  if (!target) return ''
  const address = redact(`${target.origin}${target.pathname}`, request)
  return `redirects to ${address}, which is not followed. If that is the right server, use its URL. `
}

type Exception = { readonly typeName?: string | undefined; readonly message?: string | undefined }

/** Reads a serialized .NET exception, a REST error, or plain text. */
function readException(answer: Answer): Exception {
  if (answer.body.kind === 'text') return { message: answer.body.text.trim() || undefined }
  const wire = answer.body.kind === 'json' ? asJsonObject(answer.body.value) : undefined
  if (!wire) return {}
  return { typeName: textField(wire, 'typeName'), message: textField(wire, 'message') ?? JSON.stringify(wire) }
}

/** Parts of assembly-qualified exception names. The name decides; the status is only a fallback. */
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

function reasonOf(answer: Answer, { typeName, message }: Exception, meaning: StatusMeaning): GitHubReason {
  const named = typeName && exceptions.find(([part]) => typeName.includes(part))
  if (named) return named[1]
  const { status, headers } = answer
  const isSpent = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined
  const limited = status === 403 && (isSpent || /secondary rate limit|abuse detection/i.test(message ?? ''))
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

/** Removes tokens, by value and by shape: servers and proxies echo what they were sent. */
function redact(text: string, request: Request): string {
  const sent = request.headers['authorization']?.split(' ')[1]
  return withoutTokens(sent ? text.replaceAll(sent, '[token]') : text)
}

/** Removes everything that has the shape of a token. */
export function withoutTokens(text: string): string {
  return text.replace(tokenShapes, '[token]')
}
