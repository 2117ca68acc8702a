// The virtual clock against a plain list of timers, and with many timers that are cancelled long before they are due.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Timer } from './clock.ts'
import { virtualClock } from './virtual-clock.ts'

type Deed = { readonly do: 'after'; readonly ms: number } | { readonly do: 'cancel' | 'advance'; readonly by: number }

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('after' as const), ms: fc.nat(50) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), by: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), by: fc.nat(20) }) },
  ),
  { maxLength: 60 },
)

test('timers run in order of their time, then of their creation, and never after they are cancelled', async () => {
  await fc.assert(
    fc.asyncProperty(deeds, async (list) => {
      const clock = virtualClock(0)
      const ran: number[] = []
      const expected: number[] = []
      const timers: Timer[] = []
      let waiting: { readonly at: number; readonly id: number }[] = []
      for (const deed of list) {
        if (deed.do === 'after') {
          const id = timers.length
          timers.push(clock.after(deed.ms, () => void ran.push(id)))
          waiting.push({ at: clock.now() + deed.ms, id })
        } else if (deed.do === 'cancel') {
          const id = deed.by % Math.max(1, timers.length)
          timers[id]?.cancel()
          waiting = waiting.filter((timer) => timer.id !== id)
        } else {
          await clock.advance(deed.by)
          const due = waiting.filter(({ at }) => at <= clock.now())
          expected.push(...due.sort((one, other) => one.at - other.at || one.id - other.id).map(({ id }) => id))
          waiting = waiting.filter(({ at }) => at > clock.now())
        }
        expect(ran).toEqual(expected)
        expect(clock.next()).toBe(waiting.length === 0 ? undefined : Math.min(...waiting.map(({ at }) => at)))
      }
    }),
  )
})

test('a timer may cancel and create others while it runs', async () => {
  const clock = virtualClock(0)
  const ran: string[] = []
  const later = Array.from({ length: 10 }, (_, index) => clock.after(20, () => void ran.push(`later ${index}`)))
  clock.after(10, () => {
    for (const timer of later) timer.cancel()
    clock.after(0, () => void ran.push('at once'))
    clock.after(5, () => void ran.push('soon'))
  })
  await clock.advance(30)
  expect(ran).toEqual(['at once', 'soon'])
  expect(clock.next()).toBeUndefined()
})

test('cancelled timers take no memory until they would be due', () => {
  const clock = virtualClock(0)
  const day = 86_400_000
  clock.after(day, () => {})
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  for (let index = 0; index < 300_000; index++) clock.after(day, () => {}).cancel()
  expect((used() - before) / 2 ** 20).toBeLessThan(5)
  expect(clock.next()).toBe(day)
})
