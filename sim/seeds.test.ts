// Runs 40 seeds (200 in `npm run test:full`). SIM_SEEDS=1-5000 runs these instead.
// 40 are enough for almost each bug of sim/planted-bugs.ts: 13 of 14 break a promise in one of them.
import { isFull } from '@dayfly/kit/full.fixture'
import { describe, expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'

const [first = 1, last = first] = (process.env['SIM_SEEDS'] ?? (isFull ? '1001-1200' : '1001-1040'))
  .split('-')
  .map(Number)
const perTest = 10

describe('seeds keep every promise', () => {
  const starts = Array.from({ length: Math.ceil((last - first + 1) / perTest) }, (_, index) => first + index * perTest)
  it.each(starts)('from %i on', { timeout: 240_000 }, async (start) => {
    for (let seed = start; seed < Math.min(start + perTest, last + 1); seed++) {
      expect({ seed, broken: (await runSeed(seed)).broken }).toEqual({ seed, broken: [] })
    }
  })
})
