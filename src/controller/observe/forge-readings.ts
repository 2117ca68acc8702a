// What the forge has told of a set as a whole, with its age.
import type { Instant } from '../../lib/clock.ts'
import type { Demand } from '../../model/demand.ts'
import type { Failure } from '../../model/failure.ts'
import type { Reading } from '../../model/runner.ts'

export class ForgeReadings {
  demand: Reading<Demand> = { known: false, since: 0, why: 'the forge has not told its demand yet' }
  /** When a job event or a change of demand was last seen. */
  quietSince: Instant = 0
  failure: (Failure & { readonly since: Instant }) | undefined
  registrationsAt: Instant | undefined
  registrationsDoubtful = false
  /** What the forge wants remembered. */
  state: Readonly<Record<string, string>> = {}
  #registrationsSeen = 0

  /** Whether the demand differs from what was known. */
  demandTold(demand: Demand, at: Instant, now: Instant): boolean {
    const before = this.demand
    this.demand = { known: true, value: demand, at }
    this.failure = undefined
    if (before.known && JSON.stringify(before.value) === JSON.stringify(demand)) return false
    this.quietSince = now
    return true
  }

  failing(failure: Failure, since: Instant): void {
    this.failure = { ...failure, since }
    if (this.demand.known) this.demand = { known: false, since, why: failure.message }
  }

  /** Whether a complete answer may be believed: one empty answer after one that was not is doubted, so that no runner is taken for a ghost by it. */
  registrationsTold(count: number, askedAt: Instant): boolean {
    const doubted = count === 0 && this.#registrationsSeen > 0
    this.#registrationsSeen = count
    this.registrationsAt = askedAt
    this.registrationsDoubtful = doubted
    return !doubted
  }
}
