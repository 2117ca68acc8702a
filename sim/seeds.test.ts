// Runs the seeds that once failed, and 60 others (200 in `npm run test:full`). SIM_SEEDS=1-5000 runs these instead.
import { readFileSync } from 'node:fs'
import { isFull } from '@dayfly/kit/full.fixture'
import { describe, expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'

const [first = 1, last = first] = (process.env['SIM_SEEDS'] ?? (isFull ? '1001-1200' : '1001-1060'))
  .split('-')
  .map(Number)
const kept = readFileSync(new URL('./seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => /^(\d+) (.+)$/.exec(line)?.slice(1) ?? [])
const keptSeeds = Array.from({ length: kept.length / 2 }, (_, index) => [kept[2 * index], kept[2 * index + 1]] as const)
const perTest = 10

describe('a seed that once failed', () => {
  it.each(keptSeeds)('%s: %s', { timeout: 120_000 }, async (seed) => {
    const { broken } = await runSeed(Number(seed))
    expect(broken).toEqual([])
  })
})

describe('seeds keep every promise', () => {
  const starts = Array.from({ length: Math.ceil((last - first + 1) / perTest) }, (_, index) => first + index * perTest)
  it.each(starts)('from %i on', { timeout: 240_000 }, async (start) => {
    for (let seed = start; seed < Math.min(start + perTest, last + 1); seed++) {
      expect({ seed, broken: (await runSeed(seed)).broken }).toEqual({ seed, broken: [] })
    }
  })

  it('a second run of a seed is the same to the last event', { timeout: 120_000 }, async () => {
    const [one, other] = [await runSeed(1), await runSeed(1)]
    expect(other.digest).toBe(one.digest)
  })
})
