// A timer that runs every second, so that a health check can see whether timers run.
import type { Clock, Instant, Timer } from '../../lib/clock.ts'

export interface Heartbeat {
  /** Returns when the timer last ran. */
  at(): Instant
  stop(): void
}

const everyMs = 1_000

export function startHeartbeat(clock: Clock): Heartbeat {
  let last = clock.now()
  let timer: Timer
  const beat = () => {
    last = clock.now()
    timer = clock.after(everyMs, beat)
  }
  beat()
  return { at: () => last, stop: () => timer.cancel() }
}
