// The health of the controller as the page shows it: red only where an operator can act.
import type { HealthLine } from '@dayfly/dashboard/model/set-now'
import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import type { ControllerState } from '../controller.ts'
import { readyChecks } from '../health/checks.ts'
import type { WatchState } from '../watch-health.ts'

export type Figures = {
  /** Requests that are left, by account. */
  readonly budgets: ReadonlyMap<string, number>
  /** The 99th percentile of the last ticks, in milliseconds; undefined before the first. */
  readonly tickMs: number | undefined
}

/** Below so many requests, the forge may soon refuse calls. */
const budgetLow = 500
/** A tick that takes longer delays every set, in milliseconds. */
const tickMsMax = 250

export function healthLines(state: ControllerState | undefined, figures: Figures, now: Instant): readonly HealthLine[] {
  const checks = readyChecks(state, undefined, now)
  return [
    ...checks,
    ...(state?.watches ?? []).flatMap((watch) => watchLine(watch, now) ?? []),
    ...[...figures.budgets].map(([account, left]) => budgetLine(account, left)),
    ...(figures.tickMs === undefined ? [] : [tickLine(figures.tickMs)]),
  ]
}

/** A watch gets older while it works: only its list has an age. */
function watchLine({ resource, listedAt, failure }: WatchState, now: Instant): HealthLine | undefined {
  if (listedAt === undefined || failure) return undefined
  return {
    name: `watch-${resource}`,
    is: 'ok',
    detail: `a whole list is ${ageText(now - listedAt)} old, and changes followed`,
  }
}

function budgetLine(account: string, left: number): HealthLine {
  const is = left < budgetLow ? 'warning' : 'ok'
  return { name: 'forge-budget', is, detail: `${account}: ${left} requests left` }
}

function tickLine(ms: number): HealthLine {
  const is = ms > tickMsMax ? 'warning' : 'ok'
  return { name: 'ticks', is, detail: `99 of 100 decisions take at most ${ms.toFixed(1)} ms` }
}
