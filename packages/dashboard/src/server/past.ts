// The history as the server of the page asks for it.
import type { Clock } from '@dayfly/kit/clock'
import { find } from '../history/find.ts'
import type { History } from '../history/history.ts'
import { timelineOf, usualOf } from '../history/usual.ts'
import type { WaitingJob } from '../model/life.ts'
import type { Prices } from '../model/trends.ts'
import type { PastSource } from './source.ts'

export type PastOptions = {
  readonly history: () => History
  readonly clock: Clock
  /** Null: no prices are configured. */
  readonly prices: Prices | null
  /** Returns why the jobs of a set wait; null while nothing holds them up. */
  readonly whyOf: (set: string) => string | null
}

export function pastOf({ history, clock, prices, whyOf }: PastOptions): PastSource {
  let shown: History | undefined
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
    trends: (window, scope) => history().trends(window, clock.now(), scope.sees),
    costs: (window, scope) => history().costs(window, clock.now(), prices, scope.sees),
    find: (query, scope) => {
      const lives = [...history().lives()].filter(({ set }) => scope.sees(set))
      const jobs = history()
        .jobs()
        .filter(({ set }) => scope.sees(set))
      const why = ({ set }: WaitingJob) => whyOf(set)
      return find(query, { lives, jobs, now: clock.now(), since: history().since(), why })
    },
    timeline: (life, { scheduledAt, pulledAt }) => {
      const usual = usualOf(history().endedLives(life.set))
      return timelineOf(life, usual, { scheduled: scheduledAt, pulled: pulledAt })
    },
  }
}
