import { describe, expect, it } from 'vitest'
import { adaptiveLimit } from './adaptive-limit.ts'
import { virtualClock } from './virtual-clock.ts'

const policy = { start: 4, least: 2, most: 8, waitingLow: 8, waitingHigh: 8 }

/** Runs calls of 100 ms against a server that refuses for a while. `at` has how many were under way in each 100 ms. */
async function run(calls: number, refusedUntil: number) {
  const clock = virtualClock()
  const limited = adaptiveLimit(policy, clock)
  const order: number[] = []
  let running = 0
  const all = Array.from({ length: calls }, (_, index) =>
    limited('GET', async (refused) => {
      order.push(index)
      running++
      await clock.sleep(100)
      running--
      if (clock.now() < refusedUntil) refused()
      if (index === 7) throw new Error('failed')
      return index
    }),
  )
  const settled = Promise.allSettled(all)
  const at: number[] = []
  for (let step = 0; step < 30; step++) {
    await clock.advance(50)
    at.push(running)
    await clock.advance(50)
  }
  return { order, at, results: await settled }
}

describe('an adaptive limit', () => {
  it('runs calls in order, also after one that fails, and grows while they wait', async () => {
    const { order, at, results } = await run(60, 0)
    expect(order).toEqual(Array.from({ length: 60 }, (_, index) => index))
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(at[0]).toBe(4)
    expect(Math.max(...at)).toBe(8)
    expect(at.at(-1)).toBe(0)
  })

  it('lets a call go before those that wait', async () => {
    const limited = adaptiveLimit(policy, virtualClock())
    const order: string[] = []
    const call = (name: string, first?: boolean) => limited('POST', async () => void order.push(name), first)
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => call(name)).concat(call('y', true), call('z', true)))
    expect(order.join('')).toBe('abcdyzef')
  })

  it('keeps a few calls under way while the server refuses', async () => {
    const { at } = await run(40, Number.POSITIVE_INFINITY)
    expect(at.slice(4, 10).every((running) => running === 2)).toBe(true)
  })
})
