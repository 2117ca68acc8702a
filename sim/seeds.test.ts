// Runs 20 seeds (200 in `npm run test:full`). SIM_SEEDS=1-5000 runs these instead.
// Each of the seeds 1001 to 1040 that was the first to find a bug of the planted bugs is among the 20.
import { isFull } from '@dayfly/kit/full.fixture'
import { describe, expect, it } from 'vitest'
import { runSeed } from './run-seed.ts'

const chosen = [
  ...[1001, 1002, 1003, 1004, 1006, 1007, 1008, 1011, 1015, 1016],
  ...[1019, 1020, 1024, 1027, 1029, 1030, 1031, 1032, 1033, 1035],
]
const perTest = 10

function seedsOf(range: string | undefined): readonly number[] {
  if (range === undefined) return chosen
  const [first = 1, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

describe('seeds keep every promise', () => {
  const seeds = seedsOf(process.env['SIM_SEEDS'] ?? (isFull ? '1001-1200' : undefined))
  const parts = Array.from({ length: Math.ceil(seeds.length / perTest) }, (_, part) =>
    seeds.slice(part * perTest, (part + 1) * perTest),
  )
  it.each(parts.map((part) => [part[0], part] as const))('from %i on', { timeout: 240_000 }, async (_first, part) => {
    for (const seed of part) {
      expect({ seed, broken: (await runSeed(seed)).broken }).toEqual({ seed, broken: [] })
    }
  })
})
