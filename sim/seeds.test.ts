// Runs the seeds that once failed, the seeds that find the planted bugs, and one seed twice. `npm run test:full` runs 200 more.
// SIM_SEEDS=1-5000 runs these instead of those of the planted bugs.
import { readFileSync } from 'node:fs'
import { isFull } from '@dayfly/kit/full.fixture'
import { describe, expect, it } from 'vitest'
import { importBundle } from './bundle.ts'
import { plantedBugs } from './planted-bugs.ts'
import { plantedScaleBugs } from './planted-scale-bugs.ts'

const keptSeeds = readFileSync(new URL('./seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, seed, cause] = /^(\d+) (.+)$/.exec(line) ?? []
    return seed && cause ? [[Number(seed), cause] as const] : []
  })
const bugSeeds = [...plantedBugs, ...plantedScaleBugs].map(({ seed }) => seed)
const perTest = 10
const twice = 1

const { runSeed } = await importBundle('run-seed')

function rangeOf(text: string): readonly number[] {
  const [first = 1, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function seedsToRun(): readonly number[] {
  const asked = process.env['SIM_SEEDS']
  if (asked !== undefined) return rangeOf(asked)
  const others = new Set([...bugSeeds, ...(isFull ? rangeOf('1001-1200') : [])])
  for (const seed of [twice, ...keptSeeds.map(([seed]) => seed)]) others.delete(seed)
  return [...others]
}

describe('a seed that once failed', () => {
  it.each(keptSeeds)('%i: %s', { timeout: 120_000 }, async (seed) => {
    expect((await runSeed(seed)).broken).toEqual([])
  })
})

describe('seeds keep every promise', () => {
  const seeds = seedsToRun()
  const parts = Array.from({ length: Math.ceil(seeds.length / perTest) }, (_, part) =>
    seeds.slice(part * perTest, (part + 1) * perTest),
  )
  it.each(parts.map((part) => [part[0], part] as const))('from %i on', { timeout: 240_000 }, async (_first, part) => {
    for (const seed of part) {
      expect({ seed, broken: (await runSeed(seed)).broken }).toEqual({ seed, broken: [] })
    }
  })
})

it('a second run of a seed is the same to the last event', { timeout: 120_000 }, async () => {
  const [one, other] = [await runSeed(twice), await runSeed(twice)]
  expect(one.broken).toEqual([])
  expect(other.digest).toBe(one.digest)
})
