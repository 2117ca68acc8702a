// The strategy `idle-spares`: `min` idle runners beside the busy ones, at most `max` in all, and those that start are counted.
import type { Instant } from '../../lib/clock.ts'
import { desiredRunners } from '../desired.ts'
import { create, isOlder, type ListedRunner, type StrategyDecision, steady } from './strategy.ts'

export type IdleSparesParameters = {
  readonly min: number
  readonly max: number
  /** A younger runner is not ended, in milliseconds. */
  readonly coolDownMs: number
}

export function idleSpares(
  runners: readonly ListedRunner[],
  { min, max, coolDownMs }: IdleSparesParameters,
  now: Instant,
): StrategyDecision {
  const own = runners.filter(({ isOwn }) => isOwn)
  // A busy runner that is cordoned or offline works on, but takes no other step.
  const busy = own.filter(({ step }) => step === 'present')
  const idle = own.filter(({ step, status }) => step !== 'present' && status === 'ONLINE')
  const pending = own.filter(({ status }) => status === 'UNREGISTERED' || status === 'ENABLED').length
  const demand = { kind: 'utilisation', busy: busy.length, idle: idle.length } as const
  const desired = desiredRunners(demand, { min, max }, busy.length)
  const missing = desired - busy.length - idle.length - pending
  if (missing > 0) return create(missing, runners, idle.length + busy.length === 0 ? 'from-zero' : 'up')
  const surplus = Math.min(-missing, idle.length)
  if (surplus <= 0) return steady(busy.length + idle.length + pending >= max ? 'max-reached' : 'steady')
  const old = idle.filter((runner) => isOlder(runner, coolDownMs, now))
  if (old.length === 0) return steady('cooling-down')
  return { creates: 0, cordons: old.slice(0, surplus).map(({ id }) => id), reason: 'down' }
}
