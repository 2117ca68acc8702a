// Runs the seeds that once failed, and one seed twice.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'

const kept = readFileSync(new URL('./seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => /^(\d+) (.+)$/.exec(line)?.slice(1) ?? [])
const keptSeeds = Array.from({ length: kept.length / 2 }, (_, index) => [kept[2 * index], kept[2 * index + 1]] as const)

describe('a seed that once failed', () => {
  it.each(keptSeeds)('%s: %s', { timeout: 120_000 }, async (seed) => {
    const { broken } = await runSeed(Number(seed))
    expect(broken).toEqual([])
  })
})

it('a second run of a seed is the same to the last event', { timeout: 120_000 }, async () => {
  const [one, other] = [await runSeed(1), await runSeed(1)]
  expect(other.digest).toBe(one.digest)
})
