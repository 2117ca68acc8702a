// The runners as a table. Only the rows that are visible exist, so ten thousand runners cost as much as thirty.
import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { Life } from '../model/life.ts'
import { startOf } from './filter.ts'
import { spoken } from './format.ts'
import { Ago, Badge, type Mood, Note, Since } from './parts.tsx'
import { runnerAddress } from './route.ts'
import { rowWindow } from './row-window.ts'

const rowHeight = 44
const boxHeight = 440

export function RunnerTable({ lives, none }: { readonly lives: readonly Life[]; readonly none: string }) {
  const top = useSignal(0)
  const box = useRef<HTMLElement>(null)
  // A step of ten rows: scrolling by one pixel must not draw the table again.
  const onScroll = () => {
    const rows = Math.floor((box.current?.scrollTop ?? 0) / rowHeight / 10) * 10
    if (rows !== top.value) top.value = rows
  }
  const { first, end, before, after } = rowWindow(lives.length, top.value, { rowHeight, boxHeight })
  if (lives.length === 0) return <Note>{none}</Note>
  return (
    <section
      ref={box}
      class="rows"
      aria-label="Table of runners"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must have the focus of the keyboard
      tabIndex={0}
      onScroll={onScroll}
    >
      <table class="runner-rows" aria-rowcount={lives.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Runner</th>
            <th scope="col">Phase</th>
            <th scope="col">Job</th>
            <th scope="col">Repository</th>
            <th scope="col">Set</th>
            <th scope="col" class="number">
              Began
            </th>
          </tr>
        </thead>
        <tbody>
          <Space key="before" height={before} />
          {lives.slice(first, end).map((life, index) => (
            <RunnerRow key={life.id} life={life} row={first + index + 2} />
          ))}
          <Space key="after" height={after} />
        </tbody>
      </table>
    </section>
  )
}

function Space({ height }: { readonly height: number }) {
  return height === 0 ? null : (
    <tr class="space">
      <td colSpan={6} style={{ height: `${height}px` }} />
    </tr>
  )
}

function RunnerRow({ life, row }: { readonly life: Life; readonly row: number }) {
  return useMemo(
    () => (
      <tr aria-rowindex={row}>
        <th scope="row">
          <a href={runnerAddress(life.id)}>{life.runner}</a>
        </th>
        <td>
          <PhaseBadge life={life} />
        </td>
        <td>{life.job?.name ?? '–'}</td>
        <td>{life.job === null ? '–' : life.job.repository || '?'}</td>
        <td>{life.set}</td>
        <td class="number">
          <Ago at={startOf(life)} />
        </td>
      </tr>
    ),
    [life, row],
  )
}

export function PhaseBadge({ life }: { readonly life: Life }) {
  const { phase, problem, steps } = life
  const mood: Mood = problem ? 'failed' : phase === 'busy' ? 'ok' : 'calm'
  const since = phase === 'busy' ? steps.jobStarted : null
  return (
    <Badge mood={mood}>
      {problem ? spoken(problem.reason) : spoken(phase)}
      {since === null ? null : (
        <>
          {' '}
          <Since at={since} />
        </>
      )}
    </Badge>
  )
}
