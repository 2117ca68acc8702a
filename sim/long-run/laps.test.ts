import { describe, expect, it } from 'vitest'
import { lapsOf } from './laps.ts'

describe('laps', () => {
  it('divide what was used since the last lap by the jobs of the lap, and stop at their number', () => {
    let used = 0
    const read = () => ({ cpuMicroseconds: used * 1_000, virtualMs: used * 10, rssMb: used, requests: used * 8 })
    const shown: number[] = []
    const { laps, finished } = lapsOf(2, 10, read, ({ jobs }) => shown.push(jobs))
    for (let jobs = 1; jobs <= 35; jobs++) {
      used += jobs <= 10 ? 2 : 1
      finished(jobs)
    }
    expect(shown).toEqual([10, 20])
    expect(laps.map(({ microseconds, requests, rssMb }) => [microseconds, requests, rssMb])).toEqual([
      [2_000, 16, 20],
      [1_000, 8, 30],
    ])
  })
})
