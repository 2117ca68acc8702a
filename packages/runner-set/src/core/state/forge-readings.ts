// The readings of the forge about one set: demand, failures, registrations, ids to store.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '../../model/failure.ts'
import type { ForgeEvent, ForgeRunners, ForgeState, UnservedJobs } from '../../model/forge-event.ts'
import type { LateEvents } from '../../model/late-events.ts'
import type { Limits } from '../../model/limits.ts'
import type { RunnerVersion } from '../../model/runner-version.ts'
import type { DemandReading } from '../../model/world.ts'
import { areLate } from '../late-events.ts'

type DemandEvent = Omit<Extract<ForgeEvent, { kind: 'demand' }>, 'kind'>

export class ForgeReadings {
  demand: DemandReading = { known: false, since: 0, why: 'the forge has not reported its demand yet' }
  /** When a job event or a change of demand was last seen. */
  quietSince: Instant = 0
  /** Until when the events about a runner that has ended may still be behind others. */
  backlogUntil: Instant = 0
  /** The last event that arrived late although the set was connected; undefined after one in time. */
  late: LateEvents | undefined
  /** Since when the demand is known without a gap. */
  #connectedSince: Instant | undefined
  /** Whether an event of a job came since the last demand: that demand was counted with it. */
  #jobsArrived = false
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
    if (!before.known) this.#connectedSince = at
    const isSame = before.known && JSON.stringify(before.value) === JSON.stringify(demand)
    // While the queue is late, a poll without a message says nothing: the count is as old as before.
    const isOld = before.known && isSame && !this.#jobsArrived && areLate(this.late, limits, now)
    const counted = countedAt ?? (isOld ? (before.countedAt ?? before.at) : undefined)
    this.#jobsArrived = false
    this.demand = { known: true, value: demand, at, ...(counted === undefined ? {} : { countedAt: counted }) }
    this.failure = undefined
    this.runners = runners && { ...runners, at }
    // The status is written again if the value is another one.
    if (JSON.stringify(this.unserved) !== JSON.stringify(unserved)) this.unserved = unserved
    if (isSame) return false
    this.quietSince = now
    return true
  }

  /** An event of a job arrived that happened at `at`. One that is late shows that more of them wait. */
  jobReported(at: Instant, now: Instant, limits: Limits): void {
    this.quietSince = now
    this.#comesBehind(at, now, limits)
    this.jobArrived(at, now, limits)
  }

  /** An event of a job arrived. One that happened before the connection may be late because nobody asked for it. @param at when it happened; undefined if the forge does not say */
  jobArrived(at: Instant | undefined, now: Instant, limits: Limits): void {
    this.#jobsArrived = true
    if (at === undefined || this.#connectedSince === undefined || at < this.#connectedSince) return
    const ms = now - at
    if (ms < limits.eventsLateMs) {
      this.late = undefined
      return
    }
    this.late = { ms, at: now }
    this.backlogUntil = Math.max(this.backlogUntil, now + ms)
  }

  #comesBehind(at: Instant, now: Instant, { lateEventMs }: Limits): void {
    if (now - at > lateEventMs) this.backlogUntil = Math.max(this.backlogUntil, now + lateEventMs)
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
    this.#connectedSince = undefined
    if (this.demand.known) this.demand = { known: false, since, why: failure.message }
  }

  /** A paused set is connected, and asks for no demand. */
  paused(at: Instant): void {
    this.demand = { known: false, since: at, why: 'the set is paused' }
    this.failure = undefined
    this.runners = undefined
    this.unserved = undefined
    this.#connectedSince = undefined
    this.late = undefined
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
