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

export function lapsOf(lives: number, virtualNow: () => number, onLap: (lap: Lap) => void) {
  const laps: Lap[] = []
  let before = { lives: 0, cpu: cpu(), virtual: virtualNow() }
  const reached = (total: number): void => {
    if (laps.length === tenths || total < Math.ceil((lives * (laps.length + 1)) / tenths)) return
    const used = cpu()
    globalThis.gc?.()
    const { heapUsed, rss } = memoryUsage()
    const lap = {
      lives: total,
      nanoseconds: Math.round(((used - before.cpu) * 1_000) / (total - before.lives)),
      heapMb: Math.round(heapUsed / megabyte),
      rssMb: Math.round(rss / megabyte),
      virtualMs: virtualNow() - before.virtual,
    }
    // The collection is no part of the next lap.
    before = { lives: total, cpu: cpu(), virtual: virtualNow() }
    laps.push(lap)
    onLap(lap)
  }
  return { laps, reached }
}

/** Growth compares the last lap with the second one: in the first, the code warms up. Undefined before the second. */
export function growthOf(laps: readonly Lap[]): number | undefined {
  const [second, last] = [laps[1], laps.at(-1)]
  return second && last && laps.length > 2 ? last.nanoseconds / second.nanoseconds : undefined
}

function cpu(): number {
  const { user, system } = cpuUsage()
  return user + system
}
