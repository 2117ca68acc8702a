// The random numbers of the simulation of lives. A hundred million lives draw more than 2^32 numbers, the whole cycle of the small generator in the kit.
import { hashText } from '@dayfly/kit/hash'
import type { Random } from '@dayfly/kit/random'

/** Creates a reproducible source (sfc32) whose cycle is far longer than any run. */
export function longRandom(seed: number): Random {
  let [a, b, c, counter] = [0, 8, 16, 24].map((at) =>
    Number.parseInt(hashText(`lives ${seed}`, 32).slice(at, at + 8), 16),
  ) as [number, number, number, number]
  return () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 2 ** 32
  }
}

/** Returns a number between `low` and `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low)
}
