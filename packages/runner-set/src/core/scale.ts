// Whether runners are missing, or too many.
import type { Instant } from '@dayfly/kit/clock'
import type { Action } from '../model/action.ts'
import { forgeTraits } from '../model/forge-traits.ts'
import type { Held, HeldUnjudged } from '../model/held.ts'
import type { Counts, Runner } from '../model/runner.ts'
import { runnerPrefix } from '../model/runner-names.ts'
import type { PercentageScale } from '../model/runner-set.ts'
import type { SetWorld } from '../model/world.ts'
import { endStep } from './ending.ts'
import type { Moment } from './moment.ts'
import { freshDemand, surplusEndsAt } from './need.ts'
import { isPaused } from './paused.ts'
import { poolShare } from './pool.ts'
import { decideRenewal, type Shortage } from './renewal.ts'
import { startsOf } from './starts.ts'
import { decideByPercentage } from './strategy/percentage.ts'

export type ScaleDecision = {
  readonly actions: readonly Action[]
  readonly held?: Held | undefined
  readonly wakeAt?: Instant | undefined
  /** See `Decision.scaledBy`. */
  readonly scaledBy?: Instant | undefined
}

const nothing: ScaleDecision = { actions: [] }

/** Starts or ends nothing without a fresh demand and true counts: unknown is not zero.
 *  @param leaving runners that this tick ends for another reason: they are no surplus any more.
 *  @param ids see `decide` */
export function decideScale(moment: Moment, leaving: ReadonlySet<string>, ids: readonly string[]): ScaleDecision {
  const { counts, need, set } = moment.world
  if (isPaused(set)) return decidePaused(moment, leaving)
  if (!counts.known) return heldBy('pods-unknown')
  const scaling = { leaving, ids, counts: counts.value }
  if (set.scale.percentage) return decideCycle(moment, scaling, set.scale.percentage)
  if (!need) return heldBy('demand-unknown')
  if (need.missing > 0) return startOrRenew(moment, scaling, need.missing)
  const extra = need.surplus - leaving.size
  if (extra > 0) return decideSurplus(moment, leaving, extra)
  return { actions: renew(moment, leaving, counts.value, { missing: need.missing }) }
}

/** How many runners are missing is unknown. */
function heldBy(is: HeldUnjudged): ScaleDecision {
  return { actions: [], held: { count: undefined, why: { is } } }
}

type Scaling = {
  readonly leaving: ReadonlySet<string>
  readonly ids: readonly string[]
  readonly counts: Counts
}

/** A strategy of cycles decides once for each reading of the demand. */
function decideCycle(moment: Moment, scaling: Scaling, percentage: PercentageScale): ScaleDecision {
  const { leaving, counts } = scaling
  const { world, limits, now } = moment
  const { fleet, set } = world
  const demand = freshDemand(world, limits, now)
  if (!demand || !fleet) return heldBy('demand-unknown')
  if (demand.at <= world.scaledBy) return nothing
  // The check of the template takes a moment: the cycle waits for it.
  if (world.template?.hash !== world.templateHash) return heldBy('template-unchecked')
  const lent = makeRoom(moment, leaving)
  if (lent.length > 0) return { actions: lent, scaledBy: demand.at }
  const { max } = set.scale
  const { runnersMax = Number.POSITIVE_INFINITY } = forgeTraits[set.source.kind]
  const bounds = { min: leastOfCycle(world, counts), max, runnersMax }
  const { creates, cordons } = decideByPercentage(fleet, { ...percentage, ...bounds }, now)
  if (creates > 0) return { ...startOrRenew(moment, scaling, creates), scaledBy: demand.at }
  const chosen = world.surplus.filter(({ name }) => cordons.includes(name) && !leaving.has(name))
  const ends = chosen.length > 0 ? endEach(moment, chosen) : renew(moment, leaving, counts, { missing: 0 })
  return { actions: ends, scaledBy: demand.at }
}

/** Ends idle runners whose places are the fair share of other sets of the pool, after the quiet period of a surplus. No percentage would give these up. */
function makeRoom(moment: Moment, leaving: ReadonlySet<string>): readonly Action[] {
  const { world, limits, now } = moment
  const { pool } = world
  const occupied = pool?.me.occupied
  if (!pool || occupied === undefined || now < surplusEndsAt(world, limits)) return []
  const extra = occupied - poolShare(pool.me, pool.others).fair - leaving.size
  return extra > 0 ? endSurplus(moment, leaving, extra) : []
}

/** While outdated runners are replaced, a second idle runner is kept besides the busy ones: the replacement comes first. */
function leastOfCycle({ minimum: { min }, outdated }: SetWorld, { busy }: Counts): number {
  return outdated.count > 0 ? Math.max(min, busy + 1) + 1 : min
}

/** Starts missing runners. If none may start, an outdated runner may make room for one. */
function startOrRenew(moment: Moment, { leaving, ids, counts }: Scaling, missing: number): ScaleDecision {
  const { count, held, wakeAt } = startsOf(moment, counts, missing)
  const prefix = runnerPrefix(moment.world.set)
  const starts = ids.slice(0, count).map((id) => ({ kind: 'start-runner', runner: prefix + id }) as const)
  const actions = starts.length > 0 ? starts : renew(moment, leaving, counts, { missing, held })
  return { actions, held, wakeAt }
}

/** One end at a time: another runner that leaves comes first. */
function renew(moment: Moment, leaving: ReadonlySet<string>, counts: Counts, shortage: Shortage): readonly Action[] {
  return leaving.size > 0 ? [] : decideRenewal(moment, counts, shortage)
}

/** Surplus runners end only after a quiet period. */
function decideSurplus(moment: Moment, leaving: ReadonlySet<string>, extra: number): ScaleDecision {
  const { world, limits, now } = moment
  const quietAt = surplusEndsAt(world, limits)
  if (now < quietAt) return { ...nothing, wakeAt: quietAt }
  return { actions: endSurplus(moment, leaving, extra) }
}

/** A paused set needs no runner and waits for no quiet period: the forge keeps a runner that has a job. */
function decidePaused(moment: Moment, leaving: ReadonlySet<string>): ScaleDecision {
  const paused = heldBy('paused')
  if (!moment.world.counts.known) return paused
  return { ...paused, actions: endSurplus(moment, leaving, Number.POSITIVE_INFINITY) }
}

function endSurplus(moment: Moment, leaving: ReadonlySet<string>, extra: number): readonly Action[] {
  const { world, limits } = moment
  const candidates = world.surplus.filter(({ name }) => !leaving.has(name))
  return endEach(moment, candidates.slice(0, Math.min(extra, limits.surplusPerTick)))
}

function endEach(moment: Moment, runners: readonly Runner[]): readonly Action[] {
  return runners.flatMap((runner) => {
    const step = runner.pod.is === 'present' ? endStep(moment, runner, runner.pod.value, { kind: 'surplus' }) : {}
    return step.action ? [step.action] : []
  })
}
