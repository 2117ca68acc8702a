// The health of the controller as the page shows it: red only where an operator can act.
import type { HealthLine } from '@dayfly/dashboard/model/set-now'
import type { Scope } from '@dayfly/dashboard/server/scope'
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

export type HealthFacts = {
  readonly state: ControllerState | undefined
  readonly figures: Figures
  readonly now: Instant
}

/** The checks name sets and accounts: only those of the scope. */
export function healthLines({ state, figures, now }: HealthFacts, scope: Scope): readonly HealthLine[] {
  const sets = (state?.sets ?? []).filter(({ set: { namespace, name } }) => scope.sees(`${namespace}/${name}`))
  const urls = new Set(sets.map(({ set }) => set.source.url.replace(/\/+$/, '')))
  return [
    ...readyChecks(state && { ...state, sets }, undefined, now),
    ...(state?.watches ?? []).flatMap((watch) => watchLine(watch, now) ?? []),
    ...[...figures.budgets].flatMap(([account, left]) =>
      urls.has(account.split(' ')[0] ?? '') ? [budgetLine(account, left)] : [],
    ),
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
