// Keeps registrations within GitHub's limit for one organization, repository or enterprise: 1,500 in any five minutes
// (docs/reference/scale-set-protocol.md#s16-4).
import type { Instant } from '@dayfly/kit/clock'
import type { Allowance, ForgeLimit } from '@dayfly/runner-set/forge/forge'

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

  allowance(now: Instant): Allowance {
    while (this.#taken[0] !== undefined && this.#taken[0] <= now - this.#limit.windowMs) this.#taken.shift()
    const limit = this.#limitAt(now)
    const free = limit ? 0 : this.#limit.registrations - this.#taken.length
    return { now: free, nextAt: limit?.until, limit }
  }

  /** Takes one registration, or returns why and until when it must wait. A registration that fails still counts: GitHub may have counted it. */
  take(now: Instant): ForgeLimit | undefined {
    const { limit } = this.allowance(now)
    if (!limit) this.#taken.push(now)
    return limit
  }

  /** Allows no registration before the time for which GitHub asked. */
  hold(until: Instant): void {
    this.#heldUntil = Math.max(this.#heldUntil, until)
  }

  #limitAt(now: Instant): ForgeLimit | undefined {
    const [oldest] = this.#taken
    const isFull = this.#taken.length >= this.#limit.registrations
    const full = isFull && oldest !== undefined ? oldest + this.#limit.windowMs : 0
    if (full > Math.max(now, this.#heldUntil)) return { reason: 'ceiling', until: full }
    return this.#heldUntil > now ? { reason: 'asked', until: this.#heldUntil } : undefined
  }
}
