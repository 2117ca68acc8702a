// How long to wait before trying again.
import type { Random } from './random.ts'

export type BackoffPolicy = {
  /** The ceiling of the first wait, in milliseconds; doubled with each further attempt. */
  readonly baseMs: number
  /** No wait is longer than this, in milliseconds. */
  readonly capMs: number
}

/** Whole milliseconds to wait after `attempt` failures in a row (1 for the first): "equal jitter", between half of the ceiling and the ceiling, so that it never busy-loops and never synchronises clients. */
export function backoffMs(policy: BackoffPolicy, attempt: number, random: Random): number {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling / 2 + (ceiling / 2) * random())
}
