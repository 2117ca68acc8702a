// Reads the machine's time and randomness. No other production file may do so.
import { randomBytes } from 'node:crypto'
import { type Clock, sleepWith } from './clock.ts'
import type { Random } from './random.ts'
import { type Stopwatch, upperStopwatch } from './stopwatch.ts'

/** The longest delay of a timer of Node.js, about 24 days. It runs a longer one at once. */
const timerMsMax = 2 ** 31 - 1

/** Creates the machine's clock. A pending timer keeps the process alive, so callers must cancel it. */
export function systemClock(): Clock {
  const after: Clock['after'] = (ms, run) => {
    const start = (left: number): NodeJS.Timeout =>
      left <= timerMsMax
        ? setTimeout(run, left)
        : setTimeout(() => {
            handle = start(left - timerMsMax)
          }, timerMsMax)
    let handle = start(ms)
    return { cancel: () => clearTimeout(handle) }
  }
  return { now: () => Date.now(), after, sleep: sleepWith(after) }
}

/** Measures with the machine's monotonic clock. */
export const systemStopwatch: Stopwatch = () => {
  const started = performance.now()
  return () => performance.now() - started
}

/** Measures never less than the time that has passed. The monotonic clock stands still while the machine is suspended. */
export const systemUpperStopwatch = upperStopwatch(systemStopwatch, { now: () => Date.now() })

/** Creates a cryptographically strong source, suitable for credentials. */
export function systemRandom(): Random {
  let pool = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at === pool.length) {
      pool = randomBytes(6 * 256)
      at = 0
    }
    at += 6
    return pool.readUIntBE(at - 6, 6) / 2 ** 48
  }
}
