import { expect, it } from 'vitest'
import { growthOf, lapBetween, nothingUsed, type Reading } from './laps.ts'

/** Readings at the ends of laps of ten jobs, of which each uses so many microseconds and requests. */
function lapsOf(...used: readonly (readonly [microseconds: number, requests: number])[]) {
  let before: Reading = nothingUsed
  return used.map(([microseconds, requests]) => {
    const now = {
      jobs: before.jobs + 10,
      cpuMicroseconds: before.cpuMicroseconds + 10 * microseconds,
      virtualMs: before.virtualMs + 5,
      requests: before.requests + 10 * requests,
    }
    const lap = lapBetween(before, now, 300)
    before = now
    return lap
  })
}

it('a lap has the cost of one of its jobs', () => {
  expect(lapsOf([2_000, 16], [1_000, 8])).toEqual([
    { jobs: 10, microseconds: 2_000, virtualMs: 5, rssMb: 300, requests: 16 },
    { jobs: 20, microseconds: 1_000, virtualMs: 5, rssMb: 300, requests: 8 },
  ])
})

it('growth compares a request of the last lap with one of the second, and is unknown for two laps', () => {
  expect(growthOf(lapsOf([9_000, 8], [1_000, 8], [1_000, 8], [3_000, 12]))).toBe(2)
  expect(growthOf(lapsOf([9_000, 8], [1_000, 8]))).toBeUndefined()
})
