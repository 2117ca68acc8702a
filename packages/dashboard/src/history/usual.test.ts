import { expect, it } from 'vitest'
import type { Life } from '../model/life.ts'
import { goodLife, namedJob, opened, second, start } from './history.fixture.ts'
import { timelineOf, usualOf } from './usual.ts'

/** Five usual lives, and one whose container took the time `startMs` to start. */
function lives(startMs: number) {
  const { history } = opened()
  for (const runner of ['a', 'b', 'c', 'd', 'e']) {
    for (const entry of goodLife(runner, 0, namedJob(runner))) history.take(entry)
  }
  const usual = usualOf(history.lives())
  const life = history.life('ci/a') as Life
  return { usual, life: { ...life, steps: shifted(life.steps, startMs - 3 * second) } }
}

function shifted(steps: Life['steps'], by: number): Life['steps'] {
  const early = new Set(['queued', 'registered', 'created'])
  const moved = Object.entries(steps).map(([name, at]) => [name, early.has(name) ? at : (at ?? 0) + by])
  return Object.fromEntries(moved) as Life['steps']
}

it('shows each step with its time and the usual one', () => {
  const { usual, life } = lives(3 * second)
  expect(timelineOf(life, usual).map(({ name, tookMs, usualMs, unusual }) => [name, tookMs, usualMs, unusual])).toEqual(
    [
      ['queued', null, null, false],
      ['registered', 1_000, 1_000, false],
      ['created', 1_000, 1_000, false],
      ['started', 3_000, 3_000, false],
      ['online', 1_000, 1_000, false],
      ['assigned', 4_000, 4_000, false],
      ['finished', 60_000, 60_000, false],
      ['ended', 2_000, 2_000, false],
      ['gone', 1_000, 1_000, false],
    ],
  )
})

it.each<[string, number, object, readonly string[]]>([
  ['three times the usual is usual', 9, {}, []],
  ['more than that is not', 10, {}, ['started']],
  [
    'the longest piece is marked: the node',
    60,
    { scheduled: start + 50 * second, pulled: start + 55 * second },
    ['scheduled'],
  ],
  [
    'the longest piece is marked: the image',
    60,
    { scheduled: start + 3 * second, pulled: start + 55 * second },
    ['pulled'],
  ],
  ['a clock that is ahead changes no order', 60, { pulled: start + 900 * second }, ['pulled']],
])('marks the unusual part: %s', (_name, seconds, extra, marked) => {
  const { usual, life } = lives(seconds * second)
  const timeline = timelineOf(life, usual, extra)
  expect(timeline.filter(({ unusual }) => unusual).map(({ name }) => name)).toEqual(marked)
  expect(timeline.every(({ tookMs }) => tookMs === null || tookMs >= 0)).toBe(true)
})

it('says nothing is usual with less than five lives', () => {
  const { history } = opened()
  for (const entry of goodLife()) history.take(entry)
  expect(usualOf(history.lives()).size).toBe(0)
})
