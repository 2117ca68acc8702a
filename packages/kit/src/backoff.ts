// Computes how long to wait before the next attempt.
import type { Random } from './random.ts'

export type BackoffPolicy = {
  /** The ceiling of the first wait, in milliseconds. Each further attempt doubles it. */
  readonly baseMs: number
  /** No wait is longer than this, in milliseconds. */
  readonly capMs: number
}

/**
 * Returns the whole milliseconds to wait after `attempt` failures in a row (1 for the first). The wait lies between half of the ceiling and
 * the ceiling ("equal jitter"): clients neither loop without a pause nor retry at the same moment.
 */
export function backoffMs(policy: BackoffPolicy, attempt: number, random: Random): number {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling / 2 + (ceiling / 2) * random())
}
