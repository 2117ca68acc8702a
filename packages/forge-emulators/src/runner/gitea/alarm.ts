// Wakes one waiter at the earliest of several times.
import type { Clock, Timer } from '@dayfly/kit/clock'

export interface Alarm {
  /** Wakes the waiter at the latest after this time. */
  within(ms: number): void
  /** Resolves at the earliest time that was asked for, also if it has passed. */
  next(): Promise<void>
  cancel(): void
}

export function createAlarm(clock: Clock): Alarm {
  let dueAt = Number.POSITIVE_INFINITY
  let timer: Timer | undefined
  let isDue = false
  let wake: (() => void) | undefined
  const ring = () => {
    dueAt = Number.POSITIVE_INFINITY
    isDue = true
    wake?.()
  }
  return {
    within: (ms) => {
      const at = clock.now() + ms
      if (at >= dueAt) return
      timer?.cancel()
      dueAt = at
      timer = clock.after(ms, ring)
    },
    next: async () => {
      if (!isDue) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      isDue = false
    },
    cancel: () => timer?.cancel(),
  }
}
