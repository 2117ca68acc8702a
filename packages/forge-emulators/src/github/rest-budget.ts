// The hourly request budget of each credential at the REST API, with GitHub's headers (docs/reference/scale-set-protocol.md#s16-6).
import type { Instant } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer } from '@dayfly/kit/http'

const hourMs = 3_600_000

type Hour = { used: number; readonly endsAt: Instant }

export class RestBudgets {
  readonly #hours = new Map<string, Hour>()

  /** Counts one request. Returns the headers that describe the budget, and GitHub's refusal if it is spent. `most` 0 means no limit. */
  take(
    credential: string,
    most: number,
    now: Instant,
  ): { readonly headers: Answer['headers']; readonly refusal: Answer | undefined } {
    if (most === 0) return { headers: {}, refusal: undefined }
    const hour = this.#hourOf(credential, now)
    const isSpent = hour.used >= most
    if (!isSpent) hour.used++
    const headers = {
      'x-ratelimit-limit': String(most),
      'x-ratelimit-remaining': String(Math.max(0, most - hour.used)),
      'x-ratelimit-used': String(hour.used),
      'x-ratelimit-reset': String(Math.ceil(hour.endsAt / 1_000)),
      'x-ratelimit-resource': 'core',
    }
    if (!isSpent) return { headers, refusal: undefined }
    const message = `API rate limit exceeded for ${credential}.`
    return {
      headers,
      refusal: jsonAnswer(403, { message, documentation_url: 'https://docs.github.com/rest' }, headers),
    }
  }

  /** Sets how many requests are left in this hour. */
  leave(credential: string, remaining: number, most: number, now: Instant): void {
    this.#hourOf(credential, now).used = most - remaining
  }

  #hourOf(credential: string, now: Instant): Hour {
    const known = this.#hours.get(credential)
    if (known && known.endsAt > now) return known
    const hour = { used: 0, endsAt: now + hourMs }
    this.#hours.set(credential, hour)
    return hour
  }
}
