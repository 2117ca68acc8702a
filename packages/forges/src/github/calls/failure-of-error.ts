// Turns an error of the connection into the failure that the operator reads, and into the wait before the next attempt.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { Failure, FailureReason } from '@dayfly/runner-set/model/failure'
import type { GitHubError, GitHubReason } from './errors.ts'

const reasons: Partial<Record<GitHubReason, FailureReason>> = {
  'credential-refused': 'forge-unauthorized',
  'token-refused': 'forge-unauthorized',
  'rate-limited': 'forge-limited',
  'budget-spent': 'forge-limited',
  'session-taken': 'session-taken',
  'scale-set-gone': 'scale-set-missing',
  'scale-set-collides': 'registration-collides',
}

/** A reason that is not listed means that the configuration is wrong, or that the forge cannot be used. The message says why. */
export function failureOf(error: GitHubError): Failure {
  const otherwise = error.kind === 'bad-config' ? 'forge-misconfigured' : 'forge-unreachable'
  return { reason: reasons[error.reason] ?? otherwise, message: error.message }
}

/** Only the operator can remove these causes, so the attempts are rare. */
const lasting: readonly GitHubReason[] = [
  'credential-refused',
  'scale-set-collides',
  'group-missing',
  'certificate-refused',
  'proxy-refused',
]

const limitedMsMax = 5 * 60_000

/**
 * Returns the milliseconds until the next attempt, after this many failures in a row: the usual back-off, or longer if
 * GitHub asks for it.
 */
export function waitAfter(error: GitHubError, failures: number, now: Instant, random: Random): number {
  if (error.reason === 'session-taken') return 8_000 + 4_000 * random()
  const policy = lasting.includes(error.reason) ? { baseMs: 5_000, capMs: 60_000 } : { baseMs: 1_000, capMs: 30_000 }
  const backoff = backoffMs(policy, failures, random)
  return error.retryAt === undefined ? backoff : Math.min(limitedMsMax, Math.max(backoff, error.retryAt - now))
}
