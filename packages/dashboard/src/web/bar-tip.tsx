// Finds the bar at the pointer, and shows the box beside it.
import type { Signal } from '@preact/signals'
import type { Life } from '../model/life.ts'
import { axisHeight, type Scene } from './bar-paint.ts'
import { startOf } from './filter.ts'
import { duration, spoken } from './format.ts'
import { Since } from './parts.tsx'
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
  const from = instantOf(scale, x - reach)
  const to = instantOf(scale, x + reach)
  const life = lane.find((one) => startOf(one) <= to && (endOf(one) ?? now) >= from)
  if (life === undefined) return null
  const at = instantOf(scale, x)
  const segment = segmentsOf(life).find((one) => one.from <= at && at <= (one.to ?? now)) ?? null
  return { life, segment, x, y, width: scale.width }
}

const kindNames = { queue: 'Queue', start: 'Start', idle: 'Idle', job: 'Job', end: 'End' } as const

export function BarTip({ hit }: { readonly hit: Signal<Hit | null> }) {
  if (hit.value === null) return null
  const { life, segment, x, y, width } = hit.value
  const side = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` }
  return (
    <div class="tip" style={{ top: `${y + 12}px`, ...side }} aria-hidden="true">
      <strong>{life.runner}</strong>
      <span>
        {spoken(life.phase)}
        {life.job === null ? '' : ` · ${life.job.name}`}
      </span>
      {life.job === null ? null : <span>{[life.job.repository, life.job.ref].filter(Boolean).join(' · ')}</span>}
      {segment === null ? null : (
        <span>
          {kindNames[segment.kind]}:{' '}
          {segment.to === null ? <Since at={segment.from} /> : duration(segment.to - segment.from)}
        </span>
      )}
      {life.phase === 'gone' ? null : (
        <span>
          Age: <Since at={startOf(life)} />
        </span>
      )}
      {life.problem === null ? null : <span class="tip-problem">{life.problem.sentence}</span>}
    </div>
  )
}
