// The state of one set: all that inputs have reported, in tables that the fold updates in place.
import type { Instant } from '@dayfly/kit/clock'
import type { SetAction } from '../../model/action.ts'
import type { Capacity } from '../../model/capacity.ts'
import type { ForgeState } from '../../model/forge-event.ts'
import type { Limits } from '../../model/limits.ts'
import type { PoolMember } from '../../model/pool.ts'
import type { Quotas } from '../../model/quota.ts'
import type { RerunStatus, Reruns } from '../../model/rerun.ts'
import type { Reading } from '../../model/runner.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import type { RunnerVersionStatus } from '../../model/runner-version.ts'
import type { Condition, JobRecord } from '../../model/status.ts'
import type { History, Need, RetryKey, RetryState, SetWorld, TemplateVerdict } from '../../model/world.ts'
import { firstCapacity } from '../capacity.ts'
import { needOf, poolMemberOf, surplusEndsAt } from '../need.ts'
import { isPaused } from '../paused.ts'
import { templateHash } from '../pod.ts'
import { limitedMember } from '../pool.ts'
import { rerunsOf } from '../rerun/reruns.ts'
import { storedVersion } from '../runner-version.ts'
import { Minimums } from '../schedule.ts'
import { fleetOf } from '../strategy/fleet.ts'
import { unassignedOf } from '../unassigned.ts'
import { countingOf, Departures } from './departures.ts'
import { ForgeReadings } from './forge-readings.ts'
import { noHistory, recentFailures } from './history.ts'
import { PendingRemovals } from './pending-removals.ts'
import { RunnerTable } from './runner-table.ts'
import { UsualDemand } from './usual-demand.ts'

/** Only `fold` changes it. */
export type SetState = {
  set: RunnerSet
  templateHash: string
  template: TemplateVerdict | undefined
  readonly table: RunnerTable
  readonly pendingRemovals: PendingRemovals
  readonly departures: Departures
  readonly forge: ForgeReadings
  readonly minimums: Minimums
  readonly usual: UsualDemand
  /** Unknown before the first complete list of pods, and while the watch of pods is down. */
  pods: Reading<true>
  /** When a pod last gave its room free. */
  freedAt: Instant | undefined
  quotas: Quotas
  capacity: Capacity
  /** Names of runners that are removed while the watch may still report their pods. */
  readonly removed: Set<string>
  history: History
  /** The result of the last look; undefined if a runner has got a job since then. */
  unassigned: SetWorld['unassigned']
  /** The jobs that runners took last, the newest first. */
  jobs: readonly JobRecord[]
  /** Jobs that started on a runner that had run one. */
  lateJobs: number
  reruns: Reruns
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
  readonly rerun?: RerunStatus | null
  readonly demandDays?: unknown
  readonly runnerVersion?: RunnerVersionStatus | null
}

/** Returns the ids that the forge wanted stored, from a set's status. Empty before the first connection. */
export function storedForgeState(status: unknown): ForgeState {
  return (status as StoredStatus | undefined)?.forge ?? {}
}

/** Returns the state of a set about which nothing is known but its stored status. */
export function newSetState(set: RunnerSet, stored: StoredStatus = {}): SetState {
  const forge = new ForgeReadings()
  forge.state = storedForgeState(stored)
  forge.runnerVersion = storedVersion(set, stored.runnerVersion)
  return {
    set,
    templateHash: templateHash(set),
    template: undefined,
    table: new RunnerTable(),
    pendingRemovals: new PendingRemovals(),
    departures: new Departures(),
    forge,
    minimums: new Minimums(),
    usual: new UsualDemand(stored.demandDays),
    pods: { known: false, since: 0, why: 'the pods have not been listed yet' },
    freedAt: undefined,
    quotas: 'unread',
    capacity: firstCapacity(set),
    removed: new Set(),
    history: noHistory,
    unassigned: undefined,
    jobs: stored.jobs ?? [],
    lateJobs: stored.lateJobs ?? 0,
    reruns: rerunsOf(set.source.rerun && stored.rerun),
    scaledBy: 0,
    underway: { 'check-template': false, 'list-registrations': false, report: false },
    retries: {},
    reported: undefined,
    conditions: stored.conditions ?? [],
  }
}

/** The facts that the state of a set does not hold. */
type Surroundings = Pick<SetWorld, 'allowance'> & {
  /** The other members of its pool. */
  readonly others?: readonly PoolMember[]
}

/** Returns what the set has and asks for as a member of its pool, as the others see it; undefined without one. */
export function memberIn(state: SetState, limits: Limits, now: Instant): PoolMember | undefined {
  if (!state.set.scale.pool) return undefined
  const { forge, table } = state
  const facts = {
    set: state.set,
    minimum: state.minimums.at(state.set.scale, now),
    usual: state.usual.need(state.set.scale.usualDemand, now),
    demand: forge.demand,
    counts: countsOf(state),
    outdated: table.outdated(),
  }
  const member = poolMemberOf(facts, limits, now)
  return member && limitedMember(member, startableNow(state, limits, now))
}

/** Returns how many more runners the own failures of the set let start: 0 while its template is refused, or until the set changes. */
function startableNow({ template, templateHash, history }: SetState, limits: Limits, now: Instant): number {
  if (history.blocked || (template?.is === 'refused' && template.hash === templateHash)) return 0
  return recentFailures(history, limits, now) < limits.failuresBeforeProbe ? Number.POSITIVE_INFINITY : 1
}

function countsOf({ pods, table }: SetState): SetWorld['counts'] {
  return pods.known ? { known: true, value: table.counts(), at: pods.at } : pods
}

/** Returns the set as a tick sees it. Takes out the runners that changed or are due: the next world has them only if they change again. */
export function worldOf(
  state: SetState,
  { allowance, others = [] }: Surroundings,
  limits: Limits,
  now: Instant,
): SetWorld {
  const { forge, table, pendingRemovals, departures } = state
  const counting = forge.demand.known ? countingOf(forge.demand) : undefined
  departures.prune(counting, (name) => pendingRemovals.has(name), limits, now)
  const counts = countsOf(state)
  const departed = departures.all()
  const minimum = state.minimums.at(state.set.scale, now)
  const usual = state.usual.need(state.set.scale.usualDemand, now)
  const outdated = table.outdated()
  const facts = { set: state.set, minimum, usual, demand: forge.demand, counts, outdated }
  const me = poolMemberOf(facts, limits, now)
  const pool = me && { me, others }
  const need = needOf({ ...facts, departed, pool }, limits, now)
  const unassigned = unassignedOf({ demand: forge.demand, counts, need }, state.unassigned, limits, now)
  return {
    set: state.set,
    minimum,
    usual,
    demandDays: state.usual.days,
    templateHash: state.templateHash,
    template: state.template,
    demand: forge.demand,
    fleet: state.set.scale.percentage && forge.demand.known ? fleetOf(table.all(), forge.demand.value) : undefined,
    scaledBy: state.scaledBy,
    quietSince: forge.quietSince,
    counts,
    attention: table.takeAttention(now),
    need,
    unassigned,
    late: forge.late,
    surplus: surplusOf(state, need, limits, now),
    departed,
    pendingRemovals: pendingRemovals.all(),
    history: state.history,
    delays: table.delays(),
    underWay: table.underWay(),
    jobs: state.jobs,
    lateJobs: state.lateJobs,
    reruns: state.reruns,
    unserved: forge.unserved,
    stuck: table.stuck(),
    allowance,
    quotas: state.quotas,
    pool,
    capacity: state.capacity,
    unplaced: table.unplaced(),
    outdated,
    forgeFailure: forge.failure,
    settingsFailure: forge.settingsFailure,
    runnerVersion: forge.runnerVersion,
    registrationsAt: forge.registrationsAt,
    freedAt: state.freedAt,
    leftAt: forge.leftAt,
    registrationsDoubtful: forge.registrationsDoubtful,
    underway: { ...state.underway },
    retries: state.retries,
    reported: state.reported,
    conditions: state.conditions,
  }
}

/** Looks at every waiting runner, so it looks only when some may be ended. A paused set waits for no quiet period. */
function surplusOf({ table, set, forge }: SetState, need: Need | undefined, limits: Limits, now: Instant) {
  if (set.scale.percentage) return table.oldestWaiting(Number.POSITIVE_INFINITY)
  if (isPaused(set)) return table.oldestWaiting(limits.surplusPerTick)
  const surplus = now < surplusEndsAt(forge, limits) ? 0 : (need?.surplus ?? 0)
  return surplus > 0 ? table.oldestWaiting(Math.min(surplus, limits.surplusPerTick)) : []
}
