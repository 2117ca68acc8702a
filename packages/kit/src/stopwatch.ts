// Measured durations as an argument, finer than a clock's milliseconds.
import type { Clock } from './clock.ts'

/** Starts to measure. The returned function returns the milliseconds since then, with fractions. */
export type Stopwatch = () => () => number

/** Measures with both and returns the longer duration: the stopwatch may stand still, and the clock may be set. */
export function upperStopwatch(stopwatch: Stopwatch, clock: Pick<Clock, 'now'>): Stopwatch {
  return () => {
    const started = clock.now()
    const elapsedMs = stopwatch()
    return () => Math.max(elapsedMs(), clock.now() - started)
  }
}
