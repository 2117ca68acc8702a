// The runners that a set needs, compared with those that live. Everything that starts, ends or reports runners reads this one judgement.
import type { Instant } from '@dayfly/kit/clock'
import type { Limits } from '../model/limits.ts'
import type { Need, SetWorld } from '../model/world.ts'
import { desiredRunners } from './desired.ts'
import { countingOf, isStillCounted } from './state/departures.ts'

type Facts = Pick<SetWorld, 'set' | 'floor' | 'demand' | 'counts' | 'departed'>

/** Returns undefined while the demand or the counts are unknown, and for a strategy of cycles, which knows no wanted number. */
export function needOf(
  { set, floor, demand, counts, departed }: Facts,
  limits: Limits,
  now: Instant,
): Need | undefined {
  const fresh = freshDemand({ demand }, limits, now)
  if (!fresh || !counts.known || set.scale.percentage) return undefined
  const { starting, idle, busy } = counts.value
  const wanted = desiredRunners(fresh.value, { min: floor.min, max: set.scale.max }, busy)
  const living = starting + idle + busy
  const covered = departed.filter((one) => isStillCounted(one, countingOf(fresh), limits, now)).length
  return { wanted, living, covered, missing: wanted - living - covered, surplus: living - wanted }
}

/** Returns when surplus runners may end: demand lags behind, and a job may be on its way to them. */
export function surplusEndsAt({ quietSince }: Pick<SetWorld, 'quietSince'>, limits: Limits): Instant {
  return quietSince + limits.quietMs
}

/** Unknown is not zero: an old demand decides nothing. */
export function freshDemand({ demand }: Pick<SetWorld, 'demand'>, limits: Limits, now: Instant) {
  return demand.known && now - demand.at <= limits.demandAgeMs ? demand : undefined
}
