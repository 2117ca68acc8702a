// Jobs whose runner the infrastructure broke run again, once; a job that failed by itself does not.
import { expect, it } from 'vitest'
import { brokenWorld, type Fate } from './rerun-world.ts'

const fates: readonly Fate[] = [
  ...Array.from({ length: 10 }, () => 'evicted-hard' as const),
  ...Array.from({ length: 10 }, () => 'evicted' as const),
  ...Array.from({ length: 5 }, () => 'node-lost' as const),
  ...Array.from({ length: 7 }, () => 'fails' as const),
  ...Array.from({ length: 3 }, () => 'fails-then-evicted' as const),
]

it.each([50, 300])(
  'of 200 jobs 25 that lost their runner run again once, and 10 that failed do not, at %i ms and over the kill of a controller',
  async (forgeMs) => {
    const world = await brokenWorld({ forgeMs, apiMs: 50, max: 20 })
    // Every fifth job has a fate of its own.
    const ids = world.queue(Array.from({ length: 200 }, (_, index) => (index % 5 === 0 ? fates[index / 5] : 'ok')))
    await world.until(() => world.repeated.length >= 10)
    await world.killLeader()
    await world.until(() => world.finished() === 225)
    await world.settle()
    expect(world.repeated).toHaveLength(25)
    expect(new Set(world.repeated.map(({ repeats }) => repeats)).size).toBe(25)
    const broken = ids.filter(({ fate }) => ['evicted', 'evicted-hard', 'node-lost'].includes(fate))
    expect(world.repeated.map(({ repeats }) => repeats).toSorted()).toEqual(broken.map(({ id }) => id).toSorted())
    const waits = world.waits().toSorted((left, right) => left - right)
    expect(waits[Math.ceil(waits.length * 0.95) - 1]).toBeLessThanOrEqual(20_000)
    expect(world.pods()).toEqual([])
  },
)
