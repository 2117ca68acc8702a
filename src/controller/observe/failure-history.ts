// What went wrong lately, and when to try again.
import { type BackoffPolicy, backoffMs } from '../../lib/backoff.ts'
import type { Instant } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import type { Failure } from '../../model/failure.ts'
import type { History } from '../../model/world.ts'

export const noHistory: History = { last: undefined, failuresInARow: 0, retryAt: undefined }

/** Shown as the last reason; nothing waits for it. */
export function remember(history: History, failure: Failure, runner: string | undefined, at: Instant): History {
  return { ...history, last: { reason: failure.reason, message: failure.message, at, runner } }
}

/** A runner failed before it had a job: its replacement waits, longer each time. */
export function failedStart(
  history: History,
  told: { readonly failure: Failure; readonly runner: string | undefined; readonly at: Instant },
  policy: BackoffPolicy,
  random: Random,
): History {
  const failuresInARow = history.failuresInARow + 1
  const retryAt = told.at + backoffMs(policy, failuresInARow, random)
  return { ...remember(history, told.failure, told.runner, told.at), failuresInARow, retryAt }
}

/** A runner got a job: what failed before is over. */
export function succeeded(history: History): History {
  return { ...history, failuresInARow: 0, retryAt: undefined }
}
