import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Histogram } from './histogram.ts'

const times = fc.array(fc.integer({ min: 1, max: 604_800_000 }), { minLength: 1, maxLength: 200 })

function histogramOf(all: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const ms of all) histogram.add(ms)
  return histogram
}

it('returns each percentile within 5 % of the exact one', () => {
  fc.assert(
    fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const exact = all.toSorted((one, next) => one - next)[Math.max(0, Math.ceil(share * all.length) - 1)]!
      expect(Math.abs(histogramOf(all).percentile(share)! - exact) / exact).toBeLessThan(0.05)
    }),
  )
})

it('is the same in parts, and after a file', () => {
  fc.assert(
    fc.property(times, times, (one, other) => {
      const merged = histogramOf(one)
      merged.merge(histogramOf(other))
      const restored = new Histogram()
      restored.restore(JSON.parse(JSON.stringify(merged.cells())))
      expect(restored.cells()).toEqual(histogramOf([...one, ...other]).cells())
      expect(restored.size).toBe(one.length + other.length)
    }),
  )
})

it.each<[string, readonly number[], number, number | null]>([
  ['nothing is known without a time', [], 100, null],
  ['all are within', [0, 1, 2], 10, 1],
  ['none is within', [1_000, 2_000], 10, 0],
  ['half of them are within', [10, 1_000], 100, 0.5],
])('says which part is within a bound: %s', (_name, all, ms, share) => {
  expect(histogramOf(all).within(ms)).toBe(share)
})

it('has no percentile without a time, and 0 for times below a millisecond', () => {
  expect([histogramOf([]).percentile(0.5), histogramOf([0]).percentile(0.99)]).toEqual([null, 0])
})
