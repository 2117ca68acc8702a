// The clock of one process: the simulation's time, with an offset that jumps as a corrected machine clock does. Its timers do not jump.
import { type Clock, sleepWith } from '@dayfly/kit/clock'

export interface ProcessClock extends Clock {
  jump(ms: number): void
}

export function processClock(clock: Clock, offsetMs: number): ProcessClock {
  let offset = offsetMs
  return {
    now: () => clock.now() + offset,
    after: clock.after,
    sleep: sleepWith(clock.after),
    jump: (ms) => {
      offset += ms
    },
  }
}
