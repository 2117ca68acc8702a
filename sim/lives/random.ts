// The random numbers of the simulation of lives. A hundred million lives draw more than 2^32 numbers, the whole cycle of the small generator in the kit.
import { hashText } from '@dayfly/kit/hash'
import type { Random } from '@dayfly/kit/random'

/** A source of numbers with its state: a checkpoint stores it. */
export type LongRandom = Random & { readonly memory: { readonly state: Int32Array } }

/** Creates a reproducible source (sfc32) whose cycle is far longer than any run. */
export function longRandom(seed: number): LongRandom {
  const hash = hashText(`lives ${seed}`, 32)
  const state = Int32Array.from([0, 8, 16, 24], (at) => Number.parseInt(hash.slice(at, at + 8), 16) | 0)
  const draw = () => {
    const a = state[0] ?? 0
    const b = state[1] ?? 0
    const c = state[2] ?? 0
    const counter = state[3] ?? 0
    const sum = (a + b + counter) | 0
    state[0] = b ^ (b >>> 9)
    state[1] = (c + (c << 3)) | 0
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0
    state[3] = (counter + 1) | 0
    return (sum >>> 0) / 2 ** 32
  }
  return Object.assign(draw, { memory: { state } })
}

/** Returns a number between `low` and `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low)
}
