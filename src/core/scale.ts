// Whether runners are missing or too many.
import type { Instant } from '../lib/clock.ts'
import type { Action } from '../model/action.ts'
import type { Limits } from '../model/limits.ts'
import type { SetWorld } from '../model/world.ts'
import { desiredRunners } from './desired.ts'

export type ScaleStep = { readonly actions: readonly Action[]; readonly wakeAt?: Instant | undefined }

const nothing: ScaleStep = { actions: [] }

/** Unknown is not zero: without a demand we can believe, true counts and an accepted template nothing is started or ended. */
export function decideScale(world: SetWorld, limits: Limits, now: Instant): ScaleStep {
  const { demand, counts, set } = world
  if (!demand.known || !counts.known || now - demand.at > limits.demandAgeMs) return nothing
  const desired = desiredRunners(demand.value, set.scale, counts.value.busy)
  const living = counts.value.starting + counts.value.idle + counts.value.busy
  const missing = desired - living - stillCounted(world, demand.at, limits, now)
  if (missing > 0) return decideStarts(world, missing, limits, now)
  if (living > desired) return decideSurplus(world, living - desired, limits, now)
  return nothing
}

/** Runners that are gone while their jobs are still in the number we know: they ask for no replacement. */
function stillCounted(world: SetWorld, demandAt: Instant, limits: Limits, now: Instant): number {
  let count = 0
  for (const departed of world.departed) {
    if (departed.jobOpen ? now < departed.at + limits.jobLeaseMs : demandAt <= departed.at) count++
  }
  return count
}

function decideStarts(world: SetWorld, missing: number, limits: Limits, now: Instant): ScaleStep {
  const { template, templateHash, history, allowance } = world
  if (!template.known || template.value.hash !== templateHash || template.value.is === 'refused') return nothing
  const waiting = history.retryAt !== undefined && now < history.retryAt
  // While a failure is waited out only its own replacement waits; after three in a row one runner goes ahead to try.
  const held = waiting ? missing - history.failuresInARow : history.failuresInARow >= 3 ? 1 : missing
  const count = Math.min(missing, Math.max(0, held), allowance.now, limits.startsPerTick)
  const wakeAt = waiting ? history.retryAt : count < missing ? allowance.nextAt : undefined
  return { actions: count > 0 ? [{ kind: 'start-runners', count }] : [], wakeAt }
}

/** Surplus runners go only after a quiet period: demand lags behind, and a job may be on its way to them. */
function decideSurplus(world: SetWorld, extra: number, limits: Limits, now: Instant): ScaleStep {
  const quietAt = world.quietSince + limits.quietMs
  if (now < quietAt) return { actions: [], wakeAt: quietAt }
  const chosen = world.surplus.slice(0, Math.min(extra, limits.surplusPerTick))
  return { actions: chosen.map((runner) => ({ kind: 'end-runner', runner, because: { kind: 'surplus' } })) }
}
