// Whether runners are missing, or too many.
import type { Instant } from '@dayfly/kit/clock'
import type { Action } from '../model/action.ts'
import { bitbucketRunnersMax } from '../model/forge-traits.ts'
import type { Counts, Runner } from '../model/runner.ts'
import type { PercentageScale } from '../model/runner-set.ts'
import { desiredRunners } from './desired.ts'
import { endStep } from './ending.ts'
import type { Moment } from './moment.ts'
import { isPaused } from './paused.ts'
import { isStillCounted } from './state/departures.ts'
import { recentFailures } from './state/history.ts'
import { decideByPercentage } from './strategy/percentage.ts'

export type ScaleStep = {
  readonly starts: number
  readonly actions: readonly Action[]
  readonly wakeAt?: Instant | undefined
  /** See `Decision.scaledBy`. */
  readonly scaledBy?: Instant | undefined
}

const nothing: ScaleStep = { starts: 0, actions: [] }

/** Starts or ends nothing without a fresh demand and true counts: unknown is not zero. Starts nothing without an accepted template.
 *  @param leaving runners that this tick ends for another reason: they are no surplus any more. */
export function decideScale(moment: Moment, leaving: ReadonlySet<string>): ScaleStep {
  const { counts, set } = moment.world
  if (isPaused(set)) return decidePaused(moment, leaving)
  if (set.scale.percentage) return decideCycle(moment, leaving, set.scale.percentage)
  const need = needOf(moment)
  if (!need || !counts.known) return nothing
  // A pod counts against the ceiling until it is gone, also after its job.
  const room = set.scale.max - counts.value.occupied
  if (need.missing > 0) return decideStarts(moment, counts.value, need.missing, room)
  const extra = need.surplus - leaving.size
  return extra > 0 ? decideSurplus(moment, leaving, extra) : nothing
}

/** A strategy of cycles decides once for each reading of the demand. */
function decideCycle(moment: Moment, leaving: ReadonlySet<string>, percentage: PercentageScale): ScaleStep {
  const { world, now } = moment
  const { counts, fleet, set } = world
  const demand = freshDemand(moment)
  if (!demand || !counts.known || !fleet || demand.at <= world.scaledBy) return nothing
  // The check of the template takes a moment: the cycle waits for it.
  if (world.template?.hash !== world.templateHash) return nothing
  const { min, max } = set.scale
  const decision = decideByPercentage(fleet, { ...percentage, min, max, runnersMax: bitbucketRunnersMax }, now)
  const started = decideStarts(moment, counts.value, decision.creates, max - counts.value.occupied)
  const cordons = new Set(decision.cordons)
  const chosen = world.surplus.filter(({ name }) => cordons.has(name) && !leaving.has(name))
  return { ...started, actions: endEach(moment, chosen), scaledBy: demand.at }
}

/** Unknown is not zero: an old demand decides nothing. */
function freshDemand({ world: { demand }, limits, now }: Moment) {
  return demand.known && now - demand.at <= limits.demandAgeMs ? demand : undefined
}

type Need = { readonly missing: number; readonly surplus: number }

/** Compares the runners with the demand; undefined while either is unknown. A departed runner whose job is still counted leaves none missing. */
function needOf(moment: Moment): Need | undefined {
  const { world, limits, now } = moment
  const { counts, set } = world
  const demand = freshDemand(moment)
  if (!demand || !counts.known) return undefined
  const desired = desiredRunners(demand.value, set.scale, counts.value.busy)
  const living = counts.value.starting + counts.value.idle + counts.value.busy
  const covered = world.departed.filter((departed) => isStillCounted(departed, demand.at, limits, now)).length
  return { missing: desired - living - covered, surplus: living - desired }
}

/** Returns when the forge allows the next registration, if runners wait for that. The limit is a state and no failure. */
export function waitsForForgeUntil(moment: Moment): Instant | undefined {
  const { allowance, set } = moment.world
  const isShort = !isPaused(set) && !set.scale.percentage && (needOf(moment)?.missing ?? 0) > 0
  return isShort && allowance.now <= 0 ? allowance.nextAt : undefined
}

function decideStarts(moment: Moment, counts: Counts, missing: number, room: number): ScaleStep {
  const { world, limits, now } = moment
  const { template, templateHash, history, allowance, retries } = world
  if (template?.hash !== templateHash || template.is === 'refused' || history.blocked) return nothing
  const { register } = retries
  if (register && now < register.retryAt) return { ...nothing, wakeAt: register.retryAt }
  const held = heldBack(moment, counts, missing)
  const starts = Math.max(0, Math.min(missing, room, held.most, allowance.now, limits.startsPerTick))
  return { starts, actions: [], wakeAt: held.until ?? (starts < missing ? allowance.nextAt : undefined) }
}

type Held = { readonly most: number; readonly until?: Instant | undefined }

/** After a failed start its own replacement waits. After several in a row one runner at a time tries, until one gets online. */
function heldBack({ world, limits, now }: Moment, counts: Counts, missing: number): Held {
  const { history } = world
  const failures = recentFailures(history, limits, now)
  const waits = failures > 0 && history.retryAt !== undefined && now < history.retryAt
  const until = waits ? history.retryAt : undefined
  if (failures < limits.failuresBeforeProbe) return { most: waits ? missing - failures : missing, until }
  return { most: waits || counts.unproved > 0 ? 0 : 1, until }
}

/** Surplus runners end only after a quiet period: demand lags behind, and a job may be on its way to them. */
function decideSurplus(moment: Moment, leaving: ReadonlySet<string>, extra: number): ScaleStep {
  const { world, limits, now } = moment
  const quietAt = world.quietSince + limits.quietMs
  if (now < quietAt) return { ...nothing, wakeAt: quietAt }
  return { starts: 0, actions: endSurplus(moment, leaving, extra) }
}

/** A paused set needs no runner and waits for no quiet period: the forge keeps a runner that has a job. */
function decidePaused(moment: Moment, leaving: ReadonlySet<string>): ScaleStep {
  const { counts } = moment.world
  return counts.known ? { starts: 0, actions: endSurplus(moment, leaving, Number.POSITIVE_INFINITY) } : nothing
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
