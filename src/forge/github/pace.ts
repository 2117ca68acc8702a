// Keeps registrations within GitHub's limit for one account: 1,500 in any five minutes
// (docs/reference/scale-set-protocol.md#s16-4).
import type { Instant } from '../../lib/clock.ts'

export type PaceLimit = { readonly registrations: number; readonly windowMs: number }

const githubPace: PaceLimit = { registrations: 1_500, windowMs: 5 * 60_000 }

/** Uses a sliding window. A token bucket of this size would allow twice the limit in its first window. */
export class Pace {
  readonly #limit: PaceLimit
  readonly #taken: Instant[] = []
  #heldUntil: Instant = 0

  constructor(limit: PaceLimit = githubPace) {
    this.#limit = limit
  }

  allowance(now: Instant): { readonly now: number; readonly nextAt: Instant | undefined } {
    while (this.#taken[0] !== undefined && this.#taken[0] <= now - this.#limit.windowMs) this.#taken.shift()
    const free = now < this.#heldUntil ? 0 : this.#limit.registrations - this.#taken.length
    return { now: free, nextAt: free > 0 ? undefined : Math.max(this.#heldUntil, this.#nextFree(now)) }
  }

  /** Takes one registration, or returns when the next one is allowed. A registration that fails still counts: GitHub may have counted it. */
  take(now: Instant): { readonly until: Instant } | undefined {
    const allowance = this.allowance(now)
    if (allowance.nextAt !== undefined) return { until: allowance.nextAt }
    this.#taken.push(now)
    return undefined
  }

  /** Allows no registration before the time for which GitHub asked. */
  hold(until: Instant): void {
    this.#heldUntil = Math.max(this.#heldUntil, until)
  }

  #nextFree(now: Instant): Instant {
    const [oldest] = this.#taken
    const full = this.#taken.length >= this.#limit.registrations
    return full && oldest !== undefined ? oldest + this.#limit.windowMs : now
  }
}
