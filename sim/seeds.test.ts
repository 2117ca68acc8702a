// Runs the seeds that once failed, and one seed twice. `npm run test:full` runs 200 more.
import { readFileSync } from 'node:fs'
import { isFull } from '@dayfly/kit/full.fixture'
import { describe, expect, it } from 'vitest'
import { importBundle } from './bundle.ts'

const keptSeeds = readFileSync(new URL('./seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, seed, cause] = /^(\d+) (.+)$/.exec(line) ?? []
    return seed && cause ? [[Number(seed), cause] as const] : []
  })
const twice = 14

const { runSeed } = await importBundle('run-seed')

describe('a seed that once failed', () => {
  it.each(keptSeeds)('%i: %s', { timeout: 120_000 }, async (seed) => {
    expect((await runSeed(seed)).broken).toEqual([])
  })
})

const more = isFull ? Array.from({ length: 20 }, (_, part) => 1_001 + part * 10) : []
it.each(more)('ten seeds from %i on keep every promise', { timeout: 240_000 }, async (first) => {
  for (let seed = first; seed < first + 10; seed++) {
    expect({ seed, broken: (await runSeed(seed)).broken }).toEqual({ seed, broken: [] })
  }
})

it('a second run of a seed is the same to the last event', { timeout: 120_000 }, async () => {
  const [one, other] = [await runSeed(twice), await runSeed(twice)]
  expect(one.broken).toEqual([])
  expect(other.digest).toBe(one.digest)
})
