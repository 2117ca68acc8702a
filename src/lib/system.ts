// The edge to the machine's own time and randomness: the only file in which production code reads either.
import { randomBytes } from 'node:crypto'
import { type Clock, sleepWith } from './clock.ts'
import type { Random } from './random.ts'

/** The machine's clock. Timers are referenced: whoever starts one cancels it at the end. */
export function systemClock(): Clock {
  const after: Clock['after'] = (ms, run) => {
    const handle = setTimeout(run, ms)
    return { cancel: () => clearTimeout(handle) }
  }
  return { now: () => Date.now(), after, sleep: sleepWith(after) }
}

/** Cryptographically strong randomness: credentials and names may rest on it. */
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
