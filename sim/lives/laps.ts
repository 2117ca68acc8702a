// The cost of each tenth of a run of lives, and the memory at its end.
import { cpuUsage, memoryUsage } from 'node:process'

export type Lap = {
  /** Lives at the end of the lap. */
  readonly lives: number
  /** Processor time for one life of the lap, with that of the garbage collector. */
  readonly nanoseconds: number
  /** Live objects at the end, after a collection if the process allows one. */
  readonly heapMb: number
  readonly rssMb: number
  readonly virtualMs: number
}

const tenths = 10
const megabyte = 2 ** 20

/** Measures the laps of one process. @param laps those of the run until now: it adds to them */
export class Laps {
  readonly #lives: number
  readonly #laps: Lap[]
  #before: { readonly lives: number; readonly cpu: number; readonly virtual: number }

  constructor(lives: number, laps: Lap[], virtualNow: number) {
    this.#lives = lives
    this.#laps = laps
    this.#before = { lives: laps.at(-1)?.lives ?? 0, cpu: cpu(), virtual: virtualNow }
  }

  /** Returns whether the lap is over with this number of lives. */
  isReached(lives: number): boolean {
    const next = this.#laps.length + 1
    return next <= tenths && lives >= Math.ceil((this.#lives * next) / tenths)
  }

  end(lives: number, virtualNow: number): Lap {
    const { lives: first, cpu: began, virtual } = this.#before
    const used = cpu()
    globalThis.gc?.()
    const { heapUsed, rss } = memoryUsage()
    const lap: Lap = {
      lives,
      nanoseconds: Math.round(((used - began) * 1_000) / (lives - first)),
      heapMb: Math.round(heapUsed / megabyte),
      rssMb: Math.round(rss / megabyte),
      virtualMs: virtualNow - virtual,
    }
    // The collection is no part of the next lap.
    this.#before = { lives, cpu: cpu(), virtual: virtualNow }
    this.#laps.push(lap)
    return lap
  }
}

/** Growth compares the last lap with the second one: in the first, the code warms up. Undefined before the third. */
export function growthOf(laps: readonly Lap[], of: 'nanoseconds' | 'heapMb'): number | undefined {
  const [second, last] = [laps[1], laps.at(-1)]
  return second && last && laps.length > 2 ? last[of] / second[of] : undefined
}

function cpu(): number {
  const { user, system } = cpuUsage()
  return user + system
}
