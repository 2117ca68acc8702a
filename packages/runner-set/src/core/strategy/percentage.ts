// The strategy `percentageRunnersIdle` of Atlassian's autoscaler, as it is and corrected (docs/reference/bitbucket.md#s4-1).
// Numbers are IEEE doubles in both, so that 50 × 1.1 gives the same 56 runners.
import type { Instant } from '@dayfly/kit/clock'
import { bitbucketRunnersMax } from '../../model/forge-traits.ts'
import type { PercentageScale, Scale } from '../../model/runner-set.ts'
import type { FleetRunner } from '../../model/world.ts'
import { create, isOlder, type StrategyDecision, steady } from './strategy.ts'

export type PercentageParameters = Omit<PercentageScale, 'mode'> & Pick<Scale, 'min' | 'max'>

/**
 * Decides as the official autoscaler 3.7.0 does, with its mistakes. It does not count runners that are not online yet, and ignores
 * `max` from zero. It never leaves zero with a minimum of 0. It counts a null step as busy and idle. It chooses runners before it
 * looks at their age.
 */
export function percentageStrict(
  runners: readonly FleetRunner[],
  parameters: PercentageParameters,
  now: Instant,
): StrategyDecision {
  const { min, max, scaleUpThreshold, scaleDownThreshold, coolDownMs } = parameters
  const online = runners.filter(({ isOwn, status }) => isOwn && status === 'ONLINE')
  const idle = online.filter(({ step }) => step !== 'present')
  const ratio = ratioOf(online.filter(({ step }) => step !== 'absent').length, online.length)
  if (online.length === 0 && min > 0) return create(min, runners, 'from-zero')
  const isShort = ratio > scaleUpThreshold || online.length < min
  // The official one stops only above the limit of the forge.
  if (isShort && online.length <= max && runners.length <= bitbucketRunnersMax) {
    const missing = Math.min(max, Math.ceil(online.length * parameters.scaleUpMultiplier)) - online.length
    return missing > 0 ? create(missing, runners, 'up') : steady('max-reached')
  }
  if (ratio >= scaleDownThreshold || idle.length <= min) return steady()
  const kept = Math.max(min, Math.floor(idle.length * parameters.scaleDownMultiplier))
  const chosen = idle.slice(0, Math.max(0, idle.length - kept))
  return cordon(
    chosen.filter((runner) => isOlder(runner, coolDownMs, now)),
    chosen.length,
  )
}

/**
 * The corrected strategy. Runners that are not online yet count as living. Together with them the set is filled to its minimum at once,
 * and never beyond its maximum. A minimum of 0 counts as 1, because a step without an online runner fails.
 */
export function percentageCorrected(
  runners: readonly FleetRunner[],
  parameters: PercentageParameters,
  now: Instant,
): StrategyDecision {
  const { max, scaleUpThreshold, scaleDownThreshold, coolDownMs } = parameters
  const min = Math.min(Math.max(1, parameters.min), max)
  const own = runners.filter(({ isOwn }) => isOwn)
  const online = own.filter(({ status }) => status === 'ONLINE')
  const idle = online.filter(({ step }) => step !== 'present')
  const pending = own.filter(({ status }) => status === 'UNREGISTERED' || status === 'ENABLED').length
  const ratio = ratioOf(online.length - idle.length, online.length)
  const grown = ratio > scaleUpThreshold ? Math.ceil(online.length * parameters.scaleUpMultiplier) : 0
  const wanted = Math.min(max, Math.max(min, grown))
  const missing = wanted - online.length - pending
  if (missing > 0) return create(missing, runners, online.length === 0 ? 'from-zero' : 'up')
  if (grown > 0) return steady(wanted === max ? 'max-reached' : 'steady')
  if (ratio >= scaleDownThreshold || idle.length <= min) return steady()
  const kept = Math.max(min, Math.floor(idle.length * parameters.scaleDownMultiplier))
  const old = idle.filter((runner) => isOlder(runner, coolDownMs, now))
  return cordon(old.slice(0, Math.max(0, idle.length - kept)), idle.length - kept)
}

function ratioOf(busy: number, online: number): number {
  return online === 0 ? 0 : busy / online
}

function cordon(runners: readonly FleetRunner[], wanted: number): StrategyDecision {
  if (runners.length === 0) return steady(wanted > 0 ? 'cooling-down' : 'steady')
  return { creates: 0, cordons: runners.map(({ id }) => id), reason: 'down' }
}
