// Whether runners are missing, or too many.
import type { Instant } from '../lib/clock.ts'
import type { Action } from '../model/action.ts'
import type { Counts } from '../model/runner.ts'
import { desiredRunners } from './desired.ts'
import { endStep } from './ending.ts'
import type { Moment } from './moment.ts'
import { isPaused } from './paused.ts'
import { isStillCounted } from './state/departures.ts'
import { recentFailures } from './state/history.ts'

export type ScaleStep = {
  readonly starts: number
  readonly actions: readonly Action[]
  readonly wakeAt?: Instant | undefined
}

const nothing: ScaleStep = { starts: 0, actions: [] }

/** Starts or ends nothing without a fresh demand and true counts: unknown is not zero. Starts nothing without an accepted template.
 *  @param leaving runners that this tick ends for another reason: they are no surplus any more. */
export function decideScale(moment: Moment, leaving: ReadonlySet<string>): ScaleStep {
  const { counts, set } = moment.world
  if (isPaused(set)) return decidePaused(moment, leaving)
  const need = needOf(moment)
  if (!need || !counts.known) return nothing
  if (need.missing > 0) return decideStarts(moment, counts.value, need.missing)
  const extra = need.surplus - leaving.size
  return extra > 0 ? decideSurplus(moment, leaving, extra) : nothing
}

type Need = { readonly missing: number; readonly surplus: number }

/** Compares the runners with the demand; undefined while either is unknown. A departed runner whose job is still counted leaves none missing. */
function needOf({ world, limits, now }: Moment): Need | undefined {
  const { demand, counts, set } = world
  if (!demand.known || !counts.known || now - demand.at > limits.demandAgeMs) return undefined
  const desired = desiredRunners(demand.value, set.scale, counts.value.busy)
  const living = counts.value.starting + counts.value.idle + counts.value.busy
  const covered = world.departed.filter((departed) => isStillCounted(departed, demand.at, limits, now)).length
  return { missing: desired - living - covered, surplus: living - desired }
}

/** Returns when the forge allows the next registration, if runners wait for that. The limit is a state and no failure. */
export function waitsForForgeUntil(moment: Moment): Instant | undefined {
  const { allowance, set } = moment.world
  const isShort = !isPaused(set) && (needOf(moment)?.missing ?? 0) > 0
  return isShort && allowance.now <= 0 ? allowance.nextAt : undefined
}

function decideStarts(moment: Moment, counts: Counts, missing: number): ScaleStep {
  const { world, limits, now } = moment
  const { template, templateHash, history, allowance, set, retries } = world
  if (template?.hash !== templateHash || template.is === 'refused' || history.blocked) return nothing
  const { register } = retries
  if (register && now < register.retryAt) return { ...nothing, wakeAt: register.retryAt }
  // A pod counts against the ceiling until it is gone, also after its job.
  const room = set.scale.max - counts.occupied
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
  return candidates.slice(0, Math.min(extra, limits.surplusPerTick)).flatMap((runner) => {
    const step = runner.pod.is === 'present' ? endStep(moment, runner, runner.pod.value, { kind: 'surplus' }) : {}
    return step.action ? [step.action] : []
  })
}
