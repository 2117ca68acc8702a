// From an error of the connection to what the operator reads, and to how long we wait before the next try.
import { backoffMs } from '../../lib/backoff.ts'
import type { Instant } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import type { Failure, FailureReason } from '../../model/failure.ts'
import type { GitHubError, GitHubReason } from './errors.ts'

const reasons: Partial<Record<GitHubReason, FailureReason>> = {
  'credential-refused': 'forge-unauthorized',
  'token-refused': 'forge-unauthorized',
  'rate-limited': 'forge-limited',
  'session-taken': 'session-taken',
  'scale-set-gone': 'scale-set-missing',
  'scale-set-collides': 'registration-collides',
}

/** Everything else keeps us from the forge, and the message says how. */
export function failureOf(error: GitHubError): Failure {
  return { reason: reasons[error.reason] ?? 'forge-unreachable', message: error.message }
}

/** Only the operator can end these: they are tried seldom. */
const lasting: readonly GitHubReason[] = [
  'credential-refused',
  'scale-set-collides',
  'group-missing',
  'certificate-refused',
]

const limitedMsMax = 5 * 60_000

/** Milliseconds until the next try, after `failures` in a row. */
export function waitAfter(error: GitHubError, failures: number, now: Instant, random: Random): number {
  if (error.reason === 'session-taken') return 8_000 + 4_000 * random()
  if (error.retryAt !== undefined) return Math.min(limitedMsMax, Math.max(1_000, error.retryAt - now))
  if (lasting.includes(error.reason)) return backoffMs({ baseMs: 5_000, capMs: 60_000 }, failures, random)
  return backoffMs({ baseMs: 1_000, capMs: 30_000 }, failures, random)
}
