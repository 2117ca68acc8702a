// Tests that the cache equals the server's objects after any sequence of changes and faults, and never shows a part of a list.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Fault, faultServer, statusAnswer } from './fault-server.fixture.ts'
import { runReflector } from './reflector.ts'

const statuses = fc.constantFrom(
  statusAnswer(410, 'Expired', 'too old resource version'),
  statusAnswer(429, 'TooManyRequests', 'slow down'),
  statusAnswer(429, 'TooManyRequests', 'slow down', { headers: { 'retry-after': '4' } }),
  statusAnswer(500, 'InternalError', 'broken'),
  statusAnswer(401, 'Unauthorized', 'Unauthorized'),
  statusAnswer(400, 'BadRequest', 'no'),
)
const faults: fc.Arbitrary<Fault> = fc.oneof<fc.Arbitrary<Fault>[]>(
  statuses.map((answer) => ({ kind: 'answer' as const, answer })),
  fc.constantFrom<Fault>({ kind: 'lost' }, { kind: 'refused' }, { kind: 'hang' }),
  fc
    .constantFrom('twice' as const, 'old' as const, 'early' as const)
    .map((how) => ({ kind: 'bookmarks' as const, how })),
  fc.record({
    kind: fc.constant('break' as const),
    afterLines: fc.nat(12),
    by: fc.constantFrom(
      'reset' as const,
      'end' as const,
      'silence' as const,
      'expired' as const,
      'error' as const,
      'limited' as const,
    ),
  }),
)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name: fc.nat(7) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name: fc.nat(7) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 300, 5_000, 90_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
)

it('makes the cache correct after any sequence of changes and faults', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(fc.option(faults, { nil: undefined, freq: 3 }), { maxLength: 25 }),
      fc.boolean(),
      fc.nat(),
      async (steps, planned, streamingOffered, seed) => {
        const clock = virtualClock()
        const server = faultServer(clock)
        server.streamingOffered = streamingOffered
        server.bookmarksRepeated = seed % 2 === 0
        const left = [...planned]
        server.faults = () => left.shift()
        for (let index = 0; index < 5; index++) server.put(`pod-${index}`)
        const cache = new Map<string, string>()
        const lists: string[] = []
        const past = new Set<string>()
        const remember = () => past.add([...server.objects.keys()].sort().join())
        remember()
        const stop = new AbortController()
        let fresh = false
        const done = runReflector(
          {
            transport: server.handle,
            resource: { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true },
            project: ({ metadata }) => ({ name: metadata.name, version: metadata.resourceVersion ?? '' }),
            clock,
            random: seededRandom(seed),
            sink: {
              replaced: (items) => {
                cache.clear()
                for (const { name, version } of items) cache.set(name, version)
                lists.push([...cache.keys()].sort().join())
                fresh = true
              },
              changed: ({ name, version }) => void cache.set(name, version),
              removed: ({ name }) => void cache.delete(name),
              progressed: () => {
                fresh = true
              },
              stale: () => {
                fresh = false
              },
            },
          },
          stop.signal,
        )
        for (const action of steps) {
          if (action.do === 'put') server.put(`pod-${action.name}`)
          if (action.do === 'remove') server.remove(`pod-${action.name}`)
          if (action.do === 'compact') server.compact()
          remember()
          if (action.do === 'wait') await clock.advance(action.ms)
        }
        // No fault happens from here on, not even in open streams. The cache is in doubt for a back-off and a list at most.
        left.length = 0
        await clock.advance(1_500_000)
        for (let second = 0; second < 60 && !fresh; second++) await clock.advance(1_000)
        expect(cache).toEqual(
          new Map([...server.objects].map(([name, object]) => [name, object.metadata.resourceVersion])),
        )
        expect(fresh).toBe(true)
        for (const list of lists) expect(past).toContain(list)
        expect(server.requests.length).toBeLessThan(steps.length * 40 + planned.length * 4 + 100)
        stop.abort(new Error('over'))
        await done
        expect(clock.next()).toBeUndefined()
      },
    ),
    { numRuns: 500 },
  )
})
