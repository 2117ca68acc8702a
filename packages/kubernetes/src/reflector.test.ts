import type { Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, describe, expect, it } from 'vitest'
import { type Fault, type FaultServer, faultServer, statusAnswer } from './fault-server.fixture.ts'
import { createReflector, type ReflectorOptions } from './reflector.ts'
import { withToken } from './token.ts'
import type { Resource } from './types.ts'

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }

type Seen = { name: string; version: string }
type World = {
  readonly clock: VirtualClock
  readonly server: FaultServer
  readonly cache: Map<string, string>
  readonly seen: { fresh: boolean }
  readonly stale: { readonly since: number; readonly why: string }[]
  readonly replaced: { readonly count: number; readonly askedAt: number }[]
  relist(): void
  stop(): Promise<void>
}
type Wrap = (clock: VirtualClock) => (transport: Transport) => Transport

let running: World[] = []
afterEach(async () => {
  for (const world of running) await world.stop()
  running = []
})

function start(
  prepare: (server: FaultServer) => void,
  more: Partial<ReflectorOptions<Seen>> = {},
  wrap: Wrap = () => (transport) => transport,
): World {
  const clock = virtualClock()
  const server = faultServer(clock)
  prepare(server)
  const until = new AbortController()
  const cache = new Map<string, string>()
  const world: World = {
    relist: () => reflector.relist(),
    clock,
    server,
    cache,
    seen: { fresh: false },
    stale: [],
    replaced: [],
    stop: async () => {
      until.abort(new Error('the test is over'))
      await done
    },
  }
  const options: ReflectorOptions<Seen> = {
    transport: wrap(clock)(server.handle),
    resource: pods,
    namespace: 'ci',
    project: ({ metadata }) => ({ name: metadata.name, version: metadata.resourceVersion ?? '' }),
    clock,
    random: seededRandom(7),
    sink: {
      replaced: (items, askedAt) => {
        cache.clear()
        for (const { name, version } of items) cache.set(name, version)
        world.replaced.push({ count: items.length, askedAt })
        world.seen.fresh = true
      },
      changed: ({ name, version }) => void cache.set(name, version),
      removed: ({ name }) => void cache.delete(name),
      progressed: () => {
        world.seen.fresh = true
      },
      stale: (since, why) => {
        world.stale.push({ since, why })
        world.seen.fresh = false
      },
    },
    ...more,
  }
  const reflector = createReflector(options)
  const done = reflector.run(until.signal)
  running.push(world)
  return world
}

function stored(server: FaultServer): Map<string, string> {
  return new Map([...server.objects].map(([name, object]) => [name, object.metadata.resourceVersion]))
}

/** Returns a source of faults: one for each request of the kind, in turn, and then none. */
function inTurn(kind: 'list' | 'watch', faults: readonly Fault[]): FaultServer['faults'] {
  const left = [...faults]
  return (asked) => (asked === kind ? left.shift() : undefined)
}

/** Waits for a condition while the virtual clock is still. */
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !condition(); turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns the number of requests of the kind and the waits between them. */
function asked(server: FaultServer, kind: 'list' | 'watch') {
  const times = server.requests.filter((request) => request.kind === kind).map(({ at }) => at)
  return { count: times.length, waits: times.slice(1).map((at, index) => at - (times[index] ?? 0)) }
}

const answered = (status: number, reason: string, headers: Record<string, string> = {}): Fault => ({
  kind: 'answer',
  answer: statusAnswer(status, reason, `${status} ${reason}`, { headers }),
})
const cut = (by: Extract<Fault, { kind: 'break' }>['by'], afterLines: number): Fault => ({
  kind: 'break',
  by,
  afterLines,
})
const minute = 60_000

describe('reflector', () => {
  it('puts a streamed list and every later change into the cache', async () => {
    const { clock, server, cache, replaced } = start((server) => {
      server.put('a')
      server.put('b')
    })
    await clock.advance(10)
    expect(replaced).toEqual([{ count: 2, askedAt: expect.any(Number) }])
    server.put('c')
    server.put('a')
    server.remove('b')
    await clock.advance(10)
    expect(cache).toEqual(stored(server))
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.request).toMatchObject({
      path: '/api/v1/namespaces/ci/pods',
      query: { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' },
    })
  })

  it('sends its namespace and selectors with streams and pages', async () => {
    const selectors = { labelSelector: 'dayfly.dev/set=a', fieldSelector: 'metadata.name=x' }
    const { clock, server } = start((server) => {
      server.streamingOffered = false
    }, selectors)
    await clock.advance(10)
    expect(server.requests).toHaveLength(3)
    for (const { request } of server.requests) expect(request.query).toMatchObject(selectors)
  })

  it('reads pages if the server does not stream lists', async () => {
    const { clock, server, cache, stale } = start((server) => {
      server.streamingOffered = false
      for (let index = 0; index < 1200; index++) server.put(`pod-${index}`)
    })
    await clock.advance(10)
    expect(cache).toEqual(stored(server))
    expect(server.requests.map(({ kind }) => kind)).toEqual(['watch', 'list', 'list', 'list', 'watch'])
    expect(stale).toEqual([])
  })

  it('ends each watch after a random 5 to 10 minutes and continues from the same position', async () => {
    const { clock, server, stale, replaced } = start((server) => server.put('a'))
    await clock.advance(120 * minute)
    const { count, waits } = asked(server, 'watch')
    expect(count).toBeGreaterThan(11)
    for (const wait of waits) expect(wait >= 5 * minute && wait <= 10 * minute).toBe(true)
    expect(new Set(waits).size).toBeGreaterThan(5)
    expect(replaced).toHaveLength(1)
    expect(stale).toEqual([])
  })

  it('reports since when the cache may be out of date, and when it is up to date again', async () => {
    const { clock, server, stale, seen } = start((server) => {
      server.put('a')
      server.faults = inTurn('watch', [cut('reset', 2), answered(500, 'InternalError')])
    })
    const startedAt = clock.now()
    await clock.advance(1)
    expect(stale).toEqual([{ since: startedAt, why: 'connection reset' }])
    expect(seen.fresh).toBe(false)
    await clock.advance(20_000)
    expect(stale).toHaveLength(2)
    // The watch after a failure is short, because the server sends a bookmark before the end of a watch.
    expect(server.requests[2]?.request.query['timeoutSeconds']).toBe('5')
    expect(seen.fresh).toBe(true)
  })

  it('lists at once on request, also while its stream is dead or it pauses after a failure', async () => {
    const { clock, server, cache, replaced, relist } = start((server) => {
      server.put('a')
      server.faults = inTurn('watch', [cut('silence', 2), answered(500, 'InternalError')])
    })
    await clock.advance(10)
    server.put('b')
    await clock.advance(10_000)
    expect(cache.has('b')).toBe(false)
    relist()
    await clock.advance(10)
    expect(asked(server, 'watch').count).toBe(2)
    relist()
    await clock.advance(10)
    expect(cache).toEqual(stored(server))
    expect(replaced.map(({ count }) => count)).toEqual([1, 2])
  })

  it('requests the list if the server is quiet after a failure', async () => {
    const { clock, server, stale, replaced, seen } = start((server) => {
      server.put('a')
      server.bookmarksRepeated = false
      server.faults = inTurn('watch', [cut('reset', 2)])
    })
    await clock.advance(7_000)
    expect(stale).toHaveLength(1)
    expect(replaced).toHaveLength(2)
    expect(seen.fresh).toBe(true)
    await clock.advance(60 * minute)
    // A quiet server is silent for longer than a watch may be. The list shows that the server works.
    expect(new Set(stale.map(({ why }) => why))).toEqual(
      new Set(['connection reset', 'no event or bookmark for 170 s']),
    )
    expect(server.requests.length).toBeLessThan(80)
    expect(seen.fresh).toBe(true)
  })

  it('starts from a new list after a 410, as a status or as an event', async () => {
    for (const fault of [answered(410, 'Expired'), cut('expired', 0)]) {
      const world = start((server) => {
        server.put('a')
        server.faults = inTurn('watch', [cut('reset', 2), fault])
      })
      await world.clock.advance(10_000)
      world.server.put('b')
      await world.clock.advance(10)
      expect(world.cache).toEqual(stored(world.server))
      expect(world.replaced).toHaveLength(2)
      // Only a watch that resumes is short, because a list may take long.
      const seconds = world.server.requests.map(({ request }) => Number(request.query['timeoutSeconds']))
      expect(seconds.map((length) => length === 5)).toEqual([false, true, false])
    }
  })

  it('backs off further after each 410 or early end in a row', async () => {
    for (const by of ['expired', 'end'] as const) {
      const { clock, server } = start((server) => {
        server.put('a')
        server.faults = (kind) => (kind === 'watch' ? cut(by, 3) : undefined)
      })
      for (let second = 0; second < 3600; second += 5) {
        server.put('a')
        await clock.advance(5_000)
      }
      const { count, waits } = asked(server, 'watch')
      expect(count, by).toBeLessThan(400)
      expect(count, by).toBeGreaterThan(100)
      expect(Math.min(...waits), by).toBeGreaterThanOrEqual(250)
      expect(asked(server, 'list').count, by).toBe(0)
    }
  })

  it('goes on at once after each early end of a stream that had many events', async () => {
    const { clock, server, cache } = start((server) => {
      server.put('a')
      server.faults = (kind) => (kind === 'watch' ? cut('end', 40) : undefined)
    })
    await clock.advance(5_000)
    for (let round = 0; round < 20; round++) {
      for (let change = 0; change < 60; change++) server.put('a')
      await clock.advance(1_500)
      expect(cache).toEqual(stored(server))
    }
  })

  it('asks a failing server less and less often, but never stops', async () => {
    const faults: readonly Fault[] = [
      { kind: 'refused' },
      { kind: 'lost' },
      answered(500, 'InternalError'),
      answered(429, 'TooManyRequests'),
      answered(401, 'Unauthorized'),
      answered(403, 'Forbidden'),
      answered(404, 'NotFound'),
      answered(410, 'Expired'),
      { kind: 'answer', answer: { status: 200, headers: {}, body: { kind: 'text', text: 'hello' } } },
    ]
    for (const fault of faults) {
      const { clock, server, cache, stale } = start((server) => {
        server.put('a')
        server.faults = () => fault
      })
      await clock.advance(60 * minute)
      const what = JSON.stringify(fault)
      expect(server.requests.length, what).toBeLessThan(400)
      expect(server.requests.length, what).toBeGreaterThan(60)
      expect(stale.length, what).toBeGreaterThan(20)
      expect(cache.size, what).toBe(0)
      server.faults = () => undefined
      await clock.advance(minute)
      expect(cache, what).toEqual(stored(server))
    }
  })

  it('waits at least as long as a 429 asks, for a watch, a list and an event', async () => {
    const limited = answered(429, 'TooManyRequests', { 'retry-after': '7' })
    for (const kind of ['watch', 'list'] as const) {
      const { clock, server, cache } = start((server) => {
        server.put('a')
        server.streamingOffered = kind === 'watch'
        server.faults = inTurn(kind, [limited, limited])
      })
      await clock.advance(minute)
      const { waits } = asked(server, kind)
      expect(waits.filter((wait) => wait >= 7_000 && wait < 10_000)).toHaveLength(2)
      expect(cache).toEqual(stored(server))
    }
    const { clock, server, replaced } = start((server) => {
      server.put('a')
      server.faults = inTurn('watch', [cut('limited', 2)])
    })
    await clock.advance(minute)
    expect(asked(server, 'watch').waits[0]).toBeGreaterThanOrEqual(3_000)
    expect(replaced).toHaveLength(1)
  })

  it('waits five minutes at most, even if a server asks it to wait until the year 9999', async () => {
    const limited = answered(429, 'TooManyRequests', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' })
    const { clock, server, cache } = start((server) => {
      server.put('a')
      server.faults = inTurn('watch', [limited, limited])
    })
    await clock.advance(12 * minute)
    const { waits } = asked(server, 'watch')
    expect(waits.slice(0, 2).filter((wait) => wait >= 5 * minute && wait < 6 * minute)).toHaveLength(2)
    expect(cache).toEqual(stored(server))
  })

  it('notices silence in the list, before the answer and in a running watch', async () => {
    const world = start((server) => {
      for (let index = 0; index < 10; index++) server.put(`pod-${index}`)
      server.faults = inTurn('watch', [cut('silence', 4), { kind: 'hang' }, cut('silence', 1)])
    })
    await world.clock.advance(31_000)
    expect(world.stale.map(({ why }) => why)).toEqual(['no event or bookmark for 30 s'])
    // The list came by pages. The watch after it hangs.
    expect(world.replaced.map(({ count }) => count)).toEqual([10])
    await world.clock.advance(175_000)
    world.server.put('late')
    expect(world.stale).toHaveLength(2)
    await world.clock.advance(180_000)
    expect(world.stale).toHaveLength(3)
    expect(world.stale[2]?.why).toBe('no event or bookmark for 170 s')
    expect(world.cache).toEqual(stored(world.server))
  })

  it('never reports a part of a list, by stream or by pages', async () => {
    const world = start((server) => {
      for (let index = 0; index < 1200; index++) server.put(`pod-${index}`)
      const watchFaults = [cut('reset', 900), cut('end', 1199), cut('error', 1), cut('limited', 1000)]
      let lists = 0
      server.faults = (kind) => {
        if (kind === 'watch') return watchFaults.shift()
        return ++lists % 3 === 0 && lists < 20 ? answered(410, 'Expired') : undefined
      }
    })
    await world.clock.advance(10 * minute)
    expect(world.cache).toEqual(stored(world.server))
    expect(new Set(world.replaced.map(({ count }) => count))).toEqual(new Set([1200]))
  })

  it('dates a list by its first request', async () => {
    const { clock, replaced } = start((server) => {
      server.streamingOffered = false
      for (let index = 0; index < 1200; index++) server.put(`pod-${index}`)
      server.faults = inTurn('list', [answered(503, 'ServiceUnavailable', { 'retry-after': '9' })])
    })
    const startedAt = clock.now()
    await clock.advance(minute)
    expect(replaced).toEqual([{ count: 1200, askedAt: startedAt }])
  })

  it('stays correct if bookmarks come twice, too old or too early', async () => {
    for (const how of ['twice', 'old', 'early'] as const) {
      const { clock, server, cache, replaced } = start((server) => {
        server.put('a')
        const faults: Fault[] = []
        for (let round = 0; round < 20; round++) faults.push({ kind: 'bookmarks', how })
        server.faults = inTurn('watch', faults)
      })
      for (let step = 0; step < 40; step++) {
        await clock.advance(47_000)
        server.put(`pod-${step % 7}`)
        if (step % 5 === 0) server.remove(`pod-${(step + 3) % 7}`)
      }
      await clock.advance(20 * minute)
      expect(cache, how).toEqual(stored(server))
      expect(replaced, how).toHaveLength(1)
      const from = server.requests.slice(1).map(({ request }) => Number(request.query['resourceVersion']))
      expect(from, how).toEqual([...from].sort((a, b) => a - b))
    }
  })

  it('stays correct while its token expires again and again', async () => {
    const world = start(
      (server) => server.put('a'),
      {},
      (clock) => {
        // A token is valid for four minutes. Its file is renewed a little late.
        const valid = () => `token-${Math.floor(clock.now() / (4 * minute))}`
        const written = () => `token-${Math.floor((clock.now() - 3_000) / (4 * minute))}`
        let cached = written()
        const current = async (refused?: string) => {
          if (refused !== undefined) cached = written()
          return cached
        }
        return (transport) =>
          withToken(
            (request) =>
              request.headers['authorization'] === `Bearer ${valid()}`
                ? transport(request)
                : Promise.resolve(statusAnswer(401, 'Unauthorized', 'Unauthorized')),
            { current },
          )
      },
    )
    for (let step = 0; step < 120; step++) {
      await world.clock.advance(minute)
      world.server.put(`pod-${step}`)
    }
    await world.clock.advance(minute)
    expect(world.cache).toEqual(stored(world.server))
  })

  it('dates a list by the time that its answer has corrected', async () => {
    const own = virtualClock()
    let aheadMs = 1_200_000
    const clock = { ...own, now: () => own.now() + aheadMs }
    const wrap: Wrap = () => (transport) => async (request) => {
      const answer = await transport(request)
      aheadMs = 0
      return answer
    }
    const { replaced } = start(() => {}, { clock }, wrap)
    await until(() => replaced.length > 0)
    expect(replaced[0]?.askedAt).toBe(own.now())
  })

  it('keeps 10,000 pods by stream and by pages', async () => {
    for (const streamingOffered of [true, false]) {
      const { clock, server, cache, stale } = start((server) => {
        server.streamingOffered = streamingOffered
        for (let index = 0; index < 10_000; index++) server.put(`pod-${index}`)
      })
      await clock.advance(10)
      await until(() => cache.size === 10_000)
      for (let index = 0; index < 5_000; index++) server.put(`pod-${index}`)
      for (let index = 5_000; index < 6_000; index++) server.remove(`pod-${index}`)
      await clock.advance(10)
      await until(() => cache.size === 9_000)
      expect(cache).toEqual(stored(server))
      expect(stale).toEqual([])
    }
  })

  it('stops immediately at any moment and leaves no timer', async () => {
    const faults: readonly (Fault | undefined)[] = [undefined, { kind: 'hang' }, { kind: 'refused' }, cut('silence', 1)]
    for (const fault of faults) {
      for (const afterMs of [0, 1, 100, 400, minute]) {
        const world = start((server) => {
          server.put('a')
          server.faults = () => fault
        })
        await world.clock.advance(afterMs)
        await world.stop()
        expect(world.clock.next()).toBeUndefined()
      }
    }
  })

  it('keeps only projections, and continues after a projection that throws', async () => {
    let poisoned = true
    const { clock, server, cache, stale } = start((server) => server.put('a'), {
      project: ({ metadata }) => {
        if (poisoned && metadata.name === 'poison') throw new Error('cannot project')
        return { name: metadata.name, version: metadata.resourceVersion ?? '' }
      },
    })
    await clock.advance(10)
    server.put('poison')
    await clock.advance(minute)
    expect(stale.at(-1)?.why).toBe('cannot project')
    poisoned = false
    await clock.advance(minute)
    expect(cache).toEqual(stored(server))
  })
})
