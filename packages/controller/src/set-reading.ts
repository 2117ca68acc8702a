// The parts of a set's state that gauges, health checks and the page show.
import type { Instant } from '@dayfly/kit/clock'
import type { SetState } from '@dayfly/runner-set/core/state/set-state'
import type { CapacityReason } from '@dayfly/runner-set/model/capacity'
import type { Demand } from '@dayfly/runner-set/model/demand'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { ForgeRunners, UnservedJobs } from '@dayfly/runner-set/model/forge-event'
import type { Held } from '@dayfly/runner-set/model/held'
import type { Counts } from '@dayfly/runner-set/model/runner'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { RunnerVersion } from '@dayfly/runner-set/model/runner-version'
import type { Condition, JobRecord, SetStatus } from '@dayfly/runner-set/model/status'
import type { Need } from '@dayfly/runner-set/model/world'

/** The part of a set's state that gauges and health checks show. Its parts are unknown until they are reported. */
export type SetReading = {
  readonly set: RunnerSet
  readonly counts: Counts | undefined
  readonly demand: Demand | undefined
  /** How many idle runners the set keeps, as its status shows. */
  readonly min: { readonly count: number; readonly reason: 'spec' | 'schedule' } | undefined
  /** How many runners this hour usually needs; undefined if the set does not ask for it. */
  readonly usual: number | undefined
  /** How many runners the set announces to its forge, and why no more; undefined while it announces none. */
  readonly announced: number | undefined
  readonly announcedReason: CapacityReason | undefined
  readonly conditions: readonly Condition[]
  /** Whether the set has a connection to its forge. */
  readonly connected: boolean
  /** A problem of that connection; undefined while there is none. */
  readonly forgeFailure: Failure | undefined
  /** The version of its runner, as far as it is known. */
  readonly runnerVersion: RunnerVersion | undefined
}

/** The part that only the page shows. */
export type SetInsight = SetReading & {
  readonly uid: string
  readonly state: Pick<SetState, 'set' | 'table'>
  /** When the demand was reported; undefined while it is unknown. */
  readonly demandAt: Instant | undefined
  /** How many runners the forge counted last. */
  readonly forgeRunners: (ForgeRunners & { readonly at: Instant }) | undefined
  /** The waiting jobs of the account that no set serves, if this set shows them. */
  readonly unserved: UnservedJobs | undefined
  /** The status that was written last. */
  readonly status: SetStatus | undefined
  readonly jobs: readonly JobRecord[]
  /** The decision of the last tick; undefined before the first. */
  readonly decided: { readonly held: Held | undefined; readonly need: Need | undefined } | undefined
}

/** @param connected whether the set has a connection to its forge */
export function readingOf({ set, pods, table, forge, conditions, reported }: SetState, connected: boolean): SetReading {
  return {
    set,
    counts: pods.known ? table.counts() : undefined,
    demand: forge.demand.known ? forge.demand.value : undefined,
    min: minOf(reported?.status),
    usual: reported?.status?.usual ?? undefined,
    announced: reported?.status?.announced ?? undefined,
    announcedReason: reported?.status?.announcedReason ?? undefined,
    conditions,
    connected,
    forgeFailure: forge.failure,
    runnerVersion: forge.runnerVersion,
  }
}

function minOf(status: SetStatus | undefined): SetReading['min'] {
  return status && { count: status.min, reason: status.minReason === null ? 'spec' : 'schedule' }
}

export function insightOf(state: SetState, connected: boolean, decided: SetInsight['decided']): SetInsight {
  const { set, table, forge, reported, jobs } = state
  return {
    ...readingOf(state, connected),
    uid: set.uid,
    state: { set, table },
    demandAt: forge.demand.known ? forge.demand.at : undefined,
    forgeRunners: forge.runners,
    unserved: forge.unserved,
    status: reported?.status,
    jobs,
    decided,
  }
}
