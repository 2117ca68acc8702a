// The repairs of disasters. A world counts the open ones, so that it heals after the last of them.
import type { Clock } from '@dayfly/kit/clock'

export type Repairs = {
  /** Repairs what a disaster broke, `ms` milliseconds from now. */
  in(ms: number, run: () => void): void
  /** Returns how many repairs are still to come. */
  open(): number
}

export function createRepairs(clock: Pick<Clock, 'after'>): Repairs {
  let open = 0
  return {
    in: (ms, run) => {
      open++
      clock.after(ms, () => {
        open--
        run()
      })
    },
    open: () => open,
  }
}
