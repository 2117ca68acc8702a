// The history as the server of the page asks for it.
import type { Clock, Instant } from '@dayfly/kit/clock'
import { find } from '../history/find.ts'
import type { History } from '../history/history.ts'
import { timelineOf, usualOf } from '../history/usual.ts'
import type { WaitingJob } from '../model/life.ts'
import type { Prices, WindowName } from '../model/trends.ts'
import type { Scope } from './scope.ts'
import type { PastSource } from './source.ts'

export type PastOptions = {
  readonly history: () => History
  readonly clock: Clock
  /** Null: no prices are configured. */
  readonly prices: Prices | null
}

export function pastOf({ history, clock, prices }: PastOptions): PastSource {
  let shown: History | undefined
  const now = () => clock.now()
  const trends = remembered(now, (window, { sees }) => history().trends(window, now(), sees))
  const costs = remembered(now, (window, { sees }) => history().costs(window, now(), prices, sees))
  return {
    since: () => history().since(),
    touched: () => {
      const isOther = shown !== history()
      shown = history()
      // Another history replaces all that was shown of the last one.
      return isOther ? { ...shown.touched(), all: true } : shown.touched()
    },
    life: (id) => history().life(id),
    job: (id) => history().job(id),
    failure: (id) => history().failure(id),
    marks: () => history().marks(),
    lives: () => history().lives(),
    jobs: () => history().jobs(),
    failures: () => history().failures(),
    trends,
    costs,
    find: (query, scope, { whyOf, unserved }) => {
      const lives = [...history().lives()].filter(({ set }) => scope.sees(set))
      const jobs = history()
        .jobs()
        .filter(({ set }) => scope.sees(set))
      const why = ({ set }: WaitingJob) => whyOf(set)
      return find(query, { lives, jobs, now: clock.now(), since: history().since(), why, unserved })
    },
    timeline: (life, { scheduledAt, pulledAt }) => {
      const usual = usualOf(history().endedLives(life.set))
      return timelineOf(life, usual, { scheduled: scheduledAt, pulled: pulledAt })
    },
  }
}

/** An answer adds up to 50,000 rows, which takes some 50 ms. Viewers share it for so long, in milliseconds. */
const rememberedMs = 5_000
/** At most so many answers are remembered. */
const rememberedMax = 100

function remembered<T>(now: () => Instant, ask: (window: WindowName, scope: Scope) => T) {
  const answers = new Map<string, { readonly at: Instant; readonly answer: T }>()
  return (window: WindowName, scope: Scope): T => {
    const key = `${window} ${scope.key}`
    const known = answers.get(key)
    if (known && now() - known.at < rememberedMs) return known.answer
    if (answers.size >= rememberedMax) answers.clear()
    const answer = ask(window, scope)
    answers.set(key, { at: now(), answer })
    return answer
  }
}
