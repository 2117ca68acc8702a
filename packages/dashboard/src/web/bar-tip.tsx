// Shows a box beside the bar at the pointer.
import type { Signal } from '@preact/signals'
import type { Hit } from './bar-hit.ts'
import { startOf } from './filter.ts'
import { duration, spoken } from './format.ts'
import { Since } from './parts.tsx'

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
