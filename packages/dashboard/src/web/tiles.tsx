// The totals of the installation. Unknown is "?", never 0.
import { useComputed } from '@preact/signals'
import type { Totals } from '../model/set-now.ts'
import { count, counted, duration } from './format.ts'
import { useStore } from './store.ts'

export function Tiles() {
  const { head, all, now } = useStore()
  const totals = head.value?.totals
  const oldest = useComputed(() => {
    let at = now.value
    for (const set of all('sets').values()) if (!set.deleting) at = Math.min(at, set.oldSince ?? at)
    const age = now.value - at
    return age > 30_000 ? duration(age) : null
  }).value
  if (totals === undefined) return null
  const tiles = [
    ['Waiting', count(totals.waiting), 'jobs without a runner', totals.waiting === null],
    ['Running', count(totals.running), 'jobs on a runner', totals.running === null],
    ['Starting', count(totals.starting), startingNote(totals.idle), totals.starting === null],
    [
      'Longest wait',
      longest(totals),
      'of a job that waits now',
      totals.waiting === null && totals.longestWaitMs === null,
    ],
  ] as const
  return (
    <dl class="tiles">
      {tiles.map(([name, value, note, isUnknown]) => (
        <div key={name} class={isUnknown ? 'tile unknown' : 'tile'}>
          <dt>{name}</dt>
          <dd>
            <span class="tile-value">{value}</span>
            <span class="tile-note">{isUnknown ? unknownNote(totals) : note}</span>
            {totals.invalid === 0 ? null : <span class="old">without {counted(totals.invalid, 'invalid set')}</span>}
            {oldest === null ? null : <span class="old">a part is {oldest} old</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function unknownNote({ invalid }: Totals): string {
  return invalid > 0 ? 'unknown' : 'the forge did not answer'
}

function startingNote(idle: number | null): string {
  return idle === null ? 'runners' : `runners; ${count(idle)} wait for a job`
}

/** Null means "none waits" only if it is known that none waits. */
function longest({ longestWaitMs, waiting }: Totals): string {
  return longestWaitMs === null && waiting === 0 ? '–' : duration(longestWaitMs)
}
