// The readings of the forge about one set: demand, failures, registrations, ids to store.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '../../model/failure.ts'
import type { ForgeEvent, ForgeRunners, ForgeState, UnservedJobs } from '../../model/forge-event.ts'
import type { Limits } from '../../model/limits.ts'
import type { RunnerVersion } from '../../model/runner-version.ts'
import type { DemandReading } from '../../model/world.ts'

type DemandEvent = Omit<Extract<ForgeEvent, { kind: 'demand' }>, 'kind'>

export class ForgeReadings {
  demand: DemandReading = { known: false, since: 0, why: 'the forge has not reported its demand yet' }
  /** When a job event or a change of demand was last seen. */
  quietSince: Instant = 0
  /** Until when the events about a runner that has ended may still be behind others. */
  backlogUntil: Instant = 0
  failure: (Failure & { readonly since: Instant }) | undefined
  /** A difference between the set and the forge's record of it. */
  settingsFailure: Failure | undefined
  /** The version of the set's runner. It outlives a failure of the forge. */
  runnerVersion: RunnerVersion | undefined
  registrationsAt: Instant | undefined
  registrationsDoubtful = false
  /** When the last runner left. */
  leftAt: Instant | undefined
  /** How many runners the forge counted last; undefined if it has not said so, or fails. */
  runners: (ForgeRunners & { readonly at: Instant }) | undefined
  /** The waiting jobs of the account that no set serves, if this set shows them. */
  unserved: UnservedJobs | undefined
  /** The ids that the forge wants stored. */
  state: ForgeState = {}
  #listedBefore = 0

  /** Returns whether the demand differs from the one before. */
  demandReported({ demand, at, countedAt, runners, unserved }: DemandEvent, now: Instant, limits: Limits): boolean {
    const before = this.demand
    if (countedAt !== undefined) this.#comesBehind(countedAt, now, limits)
    this.demand = { known: true, value: demand, at, ...(countedAt === undefined ? {} : { countedAt }) }
    this.failure = undefined
    this.runners = runners && { ...runners, at }
    // The status is written again if the value is another one.
    if (JSON.stringify(this.unserved) !== JSON.stringify(unserved)) this.unserved = unserved
    if (before.known && JSON.stringify(before.value) === JSON.stringify(demand)) return false
    this.quietSince = now
    return true
  }

  /** An event of a job arrived that happened at `at`. One that is late shows that more of them wait. */
  jobReported(at: Instant, now: Instant, limits: Limits): void {
    this.quietSince = now
    this.#comesBehind(at, now, limits)
  }

  #comesBehind(at: Instant, now: Instant, { lateEventMs }: Limits): void {
    if (now - at > lateEventMs) this.backlogUntil = now + lateEventMs
  }

  /** The forge that has said once when it ends a version does not unsay it by refusing to say it again. */
  versionReported(version: RunnerVersion | undefined): void {
    const before = this.runnerVersion
    const schedule = version?.version === before?.version ? (version?.schedule ?? before?.schedule) : version?.schedule
    this.runnerVersion = version && { ...version, schedule }
  }

  failing(failure: Failure, since: Instant): void {
    this.failure = { ...failure, since }
    this.runners = undefined
    this.unserved = undefined
    if (this.demand.known) this.demand = { known: false, since, why: failure.message }
  }

  /** A paused set is connected, and asks for no demand. */
  paused(at: Instant): void {
    this.demand = { known: false, since: at, why: 'the set is paused' }
    this.failure = undefined
    this.runners = undefined
    this.unserved = undefined
  }

  /** Returns whether a complete list may be used. One empty list after one that was not empty is doubted, so that no runner is taken for a ghost by it. */
  listed(count: number, askedAt: Instant): boolean {
    const doubted = count === 0 && this.#listedBefore > 0
    this.#listedBefore = count
    this.registrationsAt = askedAt
    this.registrationsDoubtful = doubted
    return !doubted
  }
}
