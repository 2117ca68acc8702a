// Gives each life a row among the bars. A life keeps its row if it can, so that bars do not jump while they are read.
import type { Instant } from '@dayfly/kit/clock'
import type { Life } from '../model/life.ts'
import { startOf } from './filter.ts'
import { endOf } from './segments.ts'

export interface Lanes {
  /**
   * Returns the lives of each row in order of time, so that no two bars of a row overlap. A life that keeps its times
   * keeps its row. One that grew over another life of its row moves to another row.
   */
  place(lives: readonly Life[]): readonly (readonly Life[])[]
}

/** A life as it was when it was placed. */
type Place = { readonly lane: number; readonly life: Life }

type Placing = { readonly lanes: Life[][]; readonly places: Map<string, Place> }

export function createLanes(): Lanes {
  let before: ReadonlyMap<string, Place> = new Map()
  return {
    place(lives) {
      const placing: Placing = { lanes: [], places: new Map() }
      const grown: Life[] = []
      const fresh: Life[] = []
      for (let index = lives.length - 1; index >= 0; index--) {
        const life = lives[index] as Life
        const place = before.get(life.id)
        if (place === undefined) fresh.push(life)
        else if (place.life === life) add(placing, place)
        else if (isLonger(life, place.life)) grown.push(life)
        else add(placing, { lane: place.lane, life })
      }
      for (const { id } of grown) extend(placing.lanes, before.get(id)?.lane ?? 0)
      placeFree(placing, [...grown, ...fresh], before)
      before = placing.places
      return placing.lanes
    },
  }
}

/** The forge says when a job was queued only after its runner began, and a runner that seemed lost may come back. */
function isLonger(life: Life, before: Life): boolean {
  const [end, endBefore] = [endOf(life), endOf(before)]
  return startOf(life) < startOf(before) || (endBefore !== null && (end === null || end > endBefore))
}

function add({ lanes, places }: Placing, place: Place): void {
  extend(lanes, place.lane)
  lanes[place.lane]?.push(place.life)
  places.set(place.life.id, place)
}

function extend(lanes: Life[][], lane: number): void {
  while (lanes.length <= lane) lanes.push([])
}

/** Rows with a life that lasts cannot take another one, so only the others are compared. A life prefers its own row. */
function placeFree(placing: Placing, lives: readonly Life[], before: ReadonlyMap<string, Place>): void {
  const { lanes } = placing
  let free = lanes.map((_, lane) => ({ lane, until: lastEnd(lanes[lane]) })).filter(({ until }) => until !== null)
  for (const life of lives) {
    const start = startOf(life)
    const own = before.get(life.id)?.lane
    const fits = ({ until }: { readonly until: Instant | null }) => (until ?? 0) <= start
    const lane = (free.find((one) => one.lane === own && fits(one)) ?? free.find(fits))?.lane ?? lanes.length
    add(placing, { lane, life })
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
