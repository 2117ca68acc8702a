// A scaling strategy for a forge that shows how busy the runners are and no queue (docs/reference/bitbucket.md#s4-1).
import type { Instant } from '@dayfly/kit/clock'
import { bitbucketRunnersMax } from '../../model/forge-traits.ts'
import type { FleetRunner } from '../../model/world.ts'

/** `limited`: the forge holds no more runners. `cooling-down`: the runners that could end are too young. */
export type StrategyReason = 'from-zero' | 'up' | 'max-reached' | 'down' | 'cooling-down' | 'limited' | 'steady'

export type StrategyDecision = {
  readonly creates: number
  /** The ids of the runners to cordon. */
  readonly cordons: readonly string[]
  readonly reason: StrategyReason
}

export function steady(reason: StrategyReason = 'steady'): StrategyDecision {
  return { creates: 0, cordons: [], reason }
}

/** Creates so many runners, as far as the forge holds them. */
export function create(wanted: number, runners: readonly FleetRunner[], reason: StrategyReason): StrategyDecision {
  const creates = Math.min(wanted, Math.max(0, bitbucketRunnersMax - runners.length))
  return { creates, cordons: [], reason: creates < wanted ? 'limited' : reason }
}

export function isOlder({ createdAt }: FleetRunner, ms: number, now: Instant): boolean {
  return now - createdAt > ms
}
