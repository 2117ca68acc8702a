// Gives each life a row among the bars. A life keeps its row, so that bars never jump while they are read.
import type { Instant } from '@dayfly/kit/clock'
import type { Life } from '../model/life.ts'
import { startOf } from './filter.ts'
import { endOf } from './segments.ts'

export interface Lanes {
  /** The lives of each row in order of time. */
  place(lives: readonly Life[]): readonly (readonly Life[])[]
}

export function createLanes(): Lanes {
  let laneOf = new Map<string, number>()
  return {
    place(lives) {
      const kept = new Map<string, number>()
      const lanes: Life[][] = []
      const fresh: Life[] = []
      for (let index = lives.length - 1; index >= 0; index--) {
        const life = lives[index] as Life
        const lane = laneOf.get(life.id)
        if (lane === undefined) fresh.push(life)
        else add(life, lane, lanes, kept)
      }
      placeFresh(fresh, lanes, kept)
      laneOf = kept
      return lanes
    },
  }
}

function add(life: Life, lane: number, lanes: Life[][], kept: Map<string, number>): void {
  while (lanes.length <= lane) lanes.push([])
  lanes[lane]?.push(life)
  kept.set(life.id, lane)
}

/** Rows with a life that lasts cannot take another one, so only the others are compared. */
function placeFresh(fresh: readonly Life[], lanes: Life[][], kept: Map<string, number>): void {
  let free = lanes.map((_, lane) => ({ lane, until: lastEnd(lanes[lane]) })).filter(({ until }) => until !== null)
  for (const life of fresh) {
    const start = startOf(life)
    const place = free.find(({ until }) => (until ?? 0) <= start)
    const lane = place?.lane ?? lanes.length
    add(life, lane, lanes, kept)
    free = free.filter((one) => one.lane !== lane)
    const until = endOf(life)
    if (until !== null) free.push({ lane, until })
  }
}

function lastEnd(lane: readonly Life[] | undefined): Instant | null {
  let last = 0
  for (const life of lane ?? []) {
    const end = endOf(life)
    if (end === null) return null
    last = Math.max(last, end)
  }
  return last
}
