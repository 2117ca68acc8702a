import { describe, expect, it } from 'vitest'
import type { Life } from '../model/life.ts'
import { chosenLives, startOf } from './filter.ts'
import { createLanes } from './lanes.ts'
import { noFilter } from './route.ts'
import { createSample } from './sample.fixture.ts'
import { endOf } from './segments.ts'

const begin = 1_700_000_000_000
const size = { sets: 4, runners: 200, gone: 300, failing: 0, waiting: 0, silent: 0 }

function overlaps(lane: readonly Life[]): boolean {
  const sorted = [...lane].sort((a, b) => startOf(a) - startOf(b))
  return sorted.some((life, index) => {
    const next = sorted[index + 1]
    return next !== undefined && (endOf(life) ?? Number.MAX_VALUE) > startOf(next)
  })
}

describe('the rows of the bars', () => {
  it('never hold two lives at once, and a life keeps its row', () => {
    const sample = createSample(size, begin)
    const lanes = createLanes()
    const rowOf = new Map<string, number>()
    const moved: string[] = []
    for (let step = 0; step < 40; step++) {
      const lives = chosenLives(sample.lives.values(), noFilter)
      const rows = lanes.place(lives)
      expect(rows.some(overlaps)).toBe(false)
      expect(rows.flat().length).toBe(lives.length)
      for (const [row, lane] of rows.entries()) {
        for (const { id } of lane) {
          if ((rowOf.get(id) ?? row) !== row) moved.push(id)
          rowOf.set(id, row)
        }
      }
      sample.step(begin + step * 1_000)
    }
    expect(moved).toEqual([])
  })

  it('are used again after a life', () => {
    const sample = createSample({ ...size, runners: 0, gone: 200 }, begin)
    const rows = createLanes().place(chosenLives(sample.lives.values(), noFilter))
    expect(rows.length).toBeLessThan(100)
  })
})
