// Finds the bar at the pointer.
import type { Instant } from '@dayfly/kit/clock'
import type { Life } from '../model/life.ts'
import { axisHeight, type Scene } from './bar-paint.ts'
import { startOf } from './filter.ts'
import { endOf, instantOf, type Segment, segmentsOf } from './segments.ts'

export type Hit = {
  readonly life: Life
  readonly segment: Segment | null
  readonly x: number
  readonly y: number
  readonly width: number
}

/** A bar of a few pixels is hard to hit, so the pointer may miss it by this much. */
const reach = 4

export function hitAt(scene: Scene, x: number, y: number): Hit | null {
  if (y < axisHeight) return null
  const { scale, now } = scene
  const lane = scene.lanes[Math.floor((y - axisHeight + scene.scrollTop) / scene.rowHeight)] ?? []
  const at = instantOf(scale, x)
  const life = nearestOf(lane, { at, now, reachMs: instantOf(scale, x + reach) - at })
  if (life === null) return null
  const segment = segmentsOf(life).find((one) => one.from <= at && at <= (one.to ?? now)) ?? null
  return { life, segment, x, y, width: scale.width }
}

type Pointer = { readonly at: Instant; readonly now: Instant; readonly reachMs: number }

/** Returns the life that is nearest in time. Its neighbours in a row may be within reach, too. */
export function nearestOf(lane: readonly Life[], { at, now, reachMs }: Pointer): Life | null {
  let nearest: Life | null = null
  let least = reachMs
  for (const life of lane) {
    const apart = Math.max(0, startOf(life) - at, at - (endOf(life) ?? now))
    if (nearest === null ? apart > least : apart >= least) continue
    nearest = life
    least = apart
  }
  return nearest
}
