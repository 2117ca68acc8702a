// The strategy `percentageRunnersIdle`: the formulas of Atlassian's autoscaler (docs/reference/bitbucket.md#s4-1), without its mistakes.
// Numbers are IEEE doubles there, too, so that 50 × 1.1 gives the same 56 runners.
import type { Instant } from '@dayfly/kit/clock'
import type { PercentageScale, Scale } from '../../model/runner-set.ts'
import type { FleetRunner } from '../../model/world.ts'

/** @param runnersMax the number of runners that the forge holds */
export type PercentageParameters = PercentageScale & Pick<Scale, 'min' | 'max'> & { readonly runnersMax: number }

export type PercentageDecision = {
  readonly creates: number
  /** The names of the runners to cordon. */
  readonly cordons: readonly string[]
}

/**
 * Decides for one reading of the demand. Runners that are not online yet count as living. Together with them the set is filled to its
 * minimum at once, and never beyond its maximum. A minimum of 0 counts as 1, because a step without an online runner fails.
 */
export function decideByPercentage(
  runners: readonly FleetRunner[],
  parameters: PercentageParameters,
  now: Instant,
): PercentageDecision {
  const { max, runnersMax, scaleUpThreshold, scaleDownThreshold } = parameters
  const min = Math.min(Math.max(1, parameters.min), max)
  const online = runners.filter(({ is }) => is === 'busy' || is === 'idle').length
  const idle = runners.filter(({ is }) => is === 'idle')
  const starting = runners.filter(({ is }) => is === 'starting').length
  const ratio = online === 0 ? 0 : (online - idle.length) / online
  const grown = ratio > scaleUpThreshold ? Math.ceil(online * parameters.scaleUpMultiplier) : 0
  const missing = Math.min(max, Math.max(min, grown)) - online - starting
  if (missing > 0) return { creates: Math.min(missing, Math.max(0, runnersMax - runners.length)), cordons: [] }
  if (grown > 0 || ratio >= scaleDownThreshold) return { creates: 0, cordons: [] }
  const kept = Math.max(min, Math.floor(idle.length * parameters.scaleDownMultiplier))
  const old = idle.filter(({ createdAt }) => now - createdAt > parameters.coolDownMs)
  return { creates: 0, cordons: old.slice(0, Math.max(0, idle.length - kept)).map(({ name }) => name) }
}
