// The history as the server of the page asks for it.
import type { Clock } from '@dayfly/kit/clock'
import type { History } from '../history/history.ts'
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

export function pastOf({ history, clock, prices }: PastOptions): PastSource {
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
    trends: (window) => history().trends(window, clock.now()),
    costs: (window) => history().costs(window, clock.now(), prices),
    find: (query) => ({ query, read: '', jobs: [], next: null }),
    timeline: () => [],
  }
}
