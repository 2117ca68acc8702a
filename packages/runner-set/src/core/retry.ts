// The one back-off of every call: doubled waits with jitter, and the server's Retry-After within a bound.
import { unreachable } from '@dayfly/kit/assert'
import { backoffMs } from '@dayfly/kit/backoff'
import type { Instant } from '@dayfly/kit/clock'
import { hashText } from '@dayfly/kit/hash'
import type { Random } from '@dayfly/kit/random'
import { type FailureReason, failureInfo } from '../model/failure.ts'
import type { Limits } from '../model/limits.ts'
import type { RetryState } from '../model/world.ts'

/** One failed call. */
export type Failed = {
  readonly at: Instant
  /** Failures in a row before this one. */
  readonly before: number
  /** The server's Retry-After; undefined without one. */
  readonly retryAt: Instant | undefined
  /** Distinguishes calls, so that they do not all come back at the same moment. */
  readonly key: string
}

/** Returns the new number of failures, and when the call may be repeated. */
export function afterFailure(failed: Failed, limits: Limits): RetryState {
  const failures = failed.before + 1
  const wait = backoffMs(limits.retry, failures, () => jitter(failures, failed.key))
  const asked = Math.min(failed.retryAt ?? 0, failed.at + limits.retryAfterMaxMs)
  return { failures, retryAt: Math.max(failed.at + wait, asked) }
}

/** Returns how long to wait after `failures` failures in a row with this reason, in milliseconds; undefined if the set must change first. */
export function retryWaitMs(reason: FailureReason, failures: number, key: string): number | undefined {
  return waitOf(reason, failures, () => jitter(failures, key))
}

/** Returns the longest such wait. */
export function longestRetryWaitMs(reason: FailureReason, failures: number): number | undefined {
  return waitOf(reason, failures, () => 1)
}

function waitOf(reason: FailureReason, failures: number, random: Random): number | undefined {
  const { retry } = failureInfo(reason)
  switch (retry.is) {
    case 'never':
      return undefined
    case 'every':
      return Math.round(retry.everyMs * (1 + random() / 2))
    case 'backoff':
      return backoffMs(retry, failures, random)
    default:
      return unreachable(retry)
  }
}

/** A number in [0, 1). The core has no randomness, so it comes from the key. */
function jitter(failures: number, key: string): number {
  return Number.parseInt(hashText(`${key} ${failures}`, 8), 16) / 2 ** 32
}
