import { describe, expect, it } from 'vitest'
import { noSteps } from '../history/steps.ts'
import type { Life } from '../model/life.ts'
import { chosenLives, startOf } from './filter.ts'
import { createLanes } from './lanes.ts'
import { noFilter } from './route.ts'
import { createSample } from './sample.fixture.ts'
import { endOf } from './segments.ts'

const begin = 1_700_000_000_000
const size = { sets: 4, runners: 200, gone: 300, failing: 0, waiting: 0, silent: 0 }

const lifeOf = (id: string, steps: Partial<Life['steps']>, phase: Life['phase']): Life =>
  ({ id, phase, steps: { ...noSteps, ...steps } }) as Life

function overlaps(lane: readonly Life[]): boolean {
  const sorted = [...lane].sort((a, b) => startOf(a) - startOf(b))
  return sorted.some((life, index) => {
    const next = sorted[index + 1]
    return next !== undefined && (endOf(life) ?? Number.MAX_VALUE) > startOf(next)
  })
}

describe('the rows of the bars', () => {
  it('never hold two lives at once, and a life keeps its row while its start stays', () => {
    const sample = createSample(size, begin)
    const lanes = createLanes()
    const placeOf = new Map<string, { row: number; start: number }>()
    const moved: string[] = []
    for (let step = 0; step < 40; step++) {
      const lives = chosenLives(sample.lives.values(), noFilter)
      const rows = lanes.place(lives)
      expect(rows.some(overlaps)).toBe(false)
      expect(rows.flat().length).toBe(lives.length)
      for (const [row, lane] of rows.entries()) {
        for (const life of lane) {
          const [before, start] = [placeOf.get(life.id), startOf(life)]
          if (before?.start === start && before.row !== row) moved.push(life.id)
          placeOf.set(life.id, { row, start })
        }
      }
      sample.step(begin + step * 1_000)
    }
    expect(moved).toEqual([])
  })

  const first = lifeOf('first', { registered: 0, gone: 40 }, 'gone')
  const second = lifeOf('second', { registered: 100 }, 'busy')
  const lost = lifeOf('first', { registered: 0, online: 40 }, 'gone')

  it.each<[string, Life[], Life[], string[][]]>([
    [
      'a life keeps its row if its job waited since the end of the life before',
      [second, first],
      [lifeOf('second', { queued: 40, registered: 100 }, 'busy'), first],
      [['first', 'second']],
    ],
    [
      'a life moves if its job waited during the life before',
      [second, first],
      [lifeOf('second', { queued: 39, registered: 100 }, 'busy'), first],
      [['first'], ['second']],
    ],
    [
      'a life that seemed lost moves if another one has its row',
      [second, lost],
      [second, { ...lost, phase: 'idle' }],
      [['second'], ['first']],
    ],
    [
      'a life keeps its row if another one is free, too',
      [second, lifeOf('first', { registered: 0 }, 'busy')],
      [lifeOf('second', { queued: 40, registered: 100 }, 'busy'), first],
      [['first'], ['second']],
    ],
  ])('change as little as they can: %s', (_, before, after, expected) => {
    const lanes = createLanes()
    lanes.place(before)
    expect(lanes.place(after).map((lane) => lane.map(({ id }) => id))).toEqual(expected)
  })

  it('are used again after a life', () => {
    const sample = createSample({ ...size, runners: 0, gone: 200 }, begin)
    const rows = createLanes().place(chosenLives(sample.lives.values(), noFilter))
    expect(rows.length).toBeLessThan(100)
  })
})
