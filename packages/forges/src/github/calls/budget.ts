// The request budget of one credential at GitHub's REST API (docs/reference/scale-set-protocol.md#s16-6).
import type { Instant } from '@dayfly/kit/clock'
import type { Answer } from '@dayfly/kit/http'
import { serverTime } from '@dayfly/kit/retry-after'

/** GitHub's secondary limit: points in any minute. */
const pointsMax = 900
const pointsMs = 60_000

export class Budget {
  readonly #isPaced: boolean
  readonly #spent: { readonly at: Instant; readonly points: number }[] = []
  #known: { readonly remaining: number; readonly resetAt: Instant } | undefined
  #limitedUntil: Instant = 0

  /** @param isPaced whether GitHub's secondary limit applies: an Enterprise Server has none by default */
  constructor(isPaced: boolean) {
    this.#isPaced = isPaced
  }

  /** The requests left in this hour; undefined if GitHub has not said. */
  remaining(now: Instant): number | undefined {
    return this.#known && now < this.#known.resetAt ? this.#known.remaining : undefined
  }

  /** When the credential may be used again; undefined if it may be used now. */
  limitedUntil(now: Instant): Instant | undefined {
    const spent = this.remaining(now) === 0 ? (this.#known?.resetAt ?? 0) : 0
    const until = Math.max(spent, this.#limitedUntil)
    return until > now ? until : undefined
  }

  /** GitHub refused the credential because of a limit. */
  limit(until: Instant): void {
    this.#limitedUntil = Math.max(this.#limitedUntil, until)
  }

  /** Reads what a response says of the budget. */
  read({ headers }: Answer, now: Instant): void {
    const remaining = headers['x-ratelimit-remaining'] ?? ''
    const reset = headers['x-ratelimit-reset'] ?? ''
    if (!/^\d+$/.test(remaining) || !/^\d+$/.test(reset)) return
    const resetAt = now + Math.min(Number(reset) * 1_000 - serverTime(headers, now), 3_600_000)
    if (resetAt > now) this.#known = { remaining: Number(remaining), resetAt }
  }

  /** Takes the points of one request. Returns when there are enough of them; undefined if the request may be sent now. */
  take(points: number, now: Instant): Instant | undefined {
    if (!this.#isPaced) return undefined
    const spent = this.#spent
    while (spent[0] !== undefined && spent[0].at <= now - pointsMs) spent.shift()
    let missing = spent.reduce((sum, each) => sum + each.points, points) - pointsMax
    if (missing <= 0) {
      spent.push({ at: now, points })
      return undefined
    }
    const enough = spent.find((each) => {
      missing -= each.points
      return missing <= 0
    })
    return (enough?.at ?? now) + pointsMs
  }
}
