// The state of one set: all that inputs have reported, in tables that the fold updates in place.
import type { Instant } from '@dayfly/kit/clock'
import type { SetAction } from '../../model/action.ts'
import type { ForgeState } from '../../model/forge-event.ts'
import { bitbucketRunnersMax } from '../../model/forge-traits.ts'
import type { Limits } from '../../model/limits.ts'
import type { Reading } from '../../model/runner.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import type { Condition, JobRecord } from '../../model/status.ts'
import type { History, RetryKey, RetryState, SetWorld, TemplateVerdict } from '../../model/world.ts'
import { desiredRunners } from '../desired.ts'
import { isPaused } from '../paused.ts'
import { templateHash } from '../pod.ts'
import { fleetOf } from '../strategy/fleet.ts'
import { Departures } from './departures.ts'
import { ForgeReadings } from './forge-readings.ts'
import { noHistory } from './history.ts'
import { PendingRemovals } from './pending-removals.ts'
import { RunnerTable } from './runner-table.ts'

/** Only `fold` changes it. */
export type SetState = {
  set: RunnerSet
  templateHash: string
  template: TemplateVerdict | undefined
  readonly table: RunnerTable
  readonly pendingRemovals: PendingRemovals
  readonly departures: Departures
  readonly forge: ForgeReadings
  /** Unknown before the first complete list of pods, and while the watch of pods is down. */
  pods: Reading<true>
  /** Names of runners that are removed while the watch may still report their pods. */
  readonly removed: Set<string>
  history: History
  /** The jobs that runners took last, the newest first. */
  jobs: readonly JobRecord[]
  /** Jobs that started on a runner that had run one. */
  lateJobs: number
  /** The reading of the demand for which a strategy of cycles decided last, by its time. */
  scaledBy: Instant
  readonly underway: Record<SetAction['kind'], boolean>
  retries: Readonly<Partial<Record<RetryKey, RetryState>>>
  reported: SetWorld['reported']
  conditions: readonly Condition[]
}

/** The parts of a set's stored status that a new leader needs. */
export type StoredStatus = {
  readonly conditions?: readonly Condition[]
  readonly forge?: ForgeState
  readonly jobs?: readonly JobRecord[]
  readonly lateJobs?: number
}

/** Returns the ids that the forge wanted stored, from a set's status. Empty before the first connection. */
export function storedForgeState(status: unknown): ForgeState {
  return (status as StoredStatus | undefined)?.forge ?? {}
}

/** Returns the state of a set about which nothing is known but its stored status. */
export function newSetState(set: RunnerSet, stored: StoredStatus = {}): SetState {
  const forge = new ForgeReadings()
  forge.state = storedForgeState(stored)
  return {
    set,
    templateHash: templateHash(set),
    template: undefined,
    table: new RunnerTable(),
    pendingRemovals: new PendingRemovals(),
    departures: new Departures(),
    forge,
    pods: { known: false, since: 0, why: 'the pods have not been listed yet' },
    removed: new Set(),
    history: noHistory,
    jobs: stored.jobs ?? [],
    lateJobs: stored.lateJobs ?? 0,
    scaledBy: 0,
    underway: { 'check-template': false, 'list-registrations': false, report: false },
    retries: {},
    reported: undefined,
    conditions: stored.conditions ?? [],
  }
}

/** Returns the set as a tick sees it. Takes out the runners that changed or are due: the next world has them only if they change again. */
export function worldOf(state: SetState, allowance: SetWorld['allowance'], limits: Limits, now: Instant): SetWorld {
  const { forge, table, pendingRemovals, departures, pods } = state
  const demandAt = forge.demand.known ? forge.demand.at : undefined
  departures.prune(demandAt, (name) => pendingRemovals.has(name), limits, now)
  return {
    set: state.set,
    templateHash: state.templateHash,
    template: state.template,
    demand: forge.demand,
    fleet: state.set.scale.percentage && forge.demand.known ? fleetOf(table.all(), forge.demand.value) : undefined,
    scaledBy: state.scaledBy,
    quietSince: forge.quietSince,
    counts: pods.known ? { known: true, value: table.counts(), at: pods.at } : pods,
    attention: table.takeAttention(now),
    surplus: surplusOf(state, limits, now),
    departed: departures.all(),
    pendingRemovals: pendingRemovals.all(),
    history: state.history,
    delays: table.delays(),
    jobs: state.jobs,
    lateJobs: state.lateJobs,
    stuck: table.stuck(),
    allowance,
    forgeFailure: forge.failure,
    settingsFailure: forge.settingsFailure,
    registrationsAt: forge.registrationsAt,
    leftAt: forge.leftAt,
    registrationsDoubtful: forge.registrationsDoubtful,
    underway: { ...state.underway },
    retries: state.retries,
    reported: state.reported,
    conditions: state.conditions,
  }
}

/** Looks at every runner, so it looks only when some could be too many. */
function surplusOf({ forge, table, set }: SetState, limits: Limits, now: Instant): SetWorld['surplus'] {
  const { demand, quietSince } = forge
  if (isPaused(set)) return table.oldestWaiting(limits.surplusPerTick)
  if (set.scale.percentage) return table.oldestWaiting(bitbucketRunnersMax)
  if (!demand.known || now < quietSince + limits.quietMs) return []
  const { starting, idle, busy } = table.counts()
  const extra = starting + idle + busy - desiredRunners(demand.value, set.scale, busy)
  return extra > 0 ? table.oldestWaiting(Math.min(extra, limits.surplusPerTick)) : []
}
