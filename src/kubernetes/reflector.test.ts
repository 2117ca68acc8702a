import { afterEach, describe, expect, it } from 'vitest'
import { type Fault, type FaultServer, faultServer, statusAnswer } from '../../test/kubernetes/fault-server.ts'
import { seededRandom } from '../lib/random.ts'
import { type VirtualClock, virtualClock } from '../lib/virtual-clock.ts'
import { type ReflectorOptions, runReflector } from './reflector.ts'
import type { Resource } from './types.ts'

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }

type Seen = { name: string; version: string }
type World = {
  readonly clock: VirtualClock
  readonly server: FaultServer
  readonly mirror: Map<string, string>
  readonly log: string[]
  readonly replaced: { readonly count: number; readonly askedAt: number }[]
  fresh: boolean
  stop(): Promise<void>
}

let running: World[] = []
afterEach(async () => {
  for (const world of running) await world.stop()
  running = []
})

function start(prepare: (server: FaultServer) => void = () => {}, more: Partial<ReflectorOptions<Seen>> = {}): World {
  const clock = virtualClock()
  const server = faultServer(clock)
  prepare(server)
  const until = new AbortController()
  const mirror = new Map<string, string>()
  const world: World = {
    clock,
    server,
    mirror,
    log: [],
    replaced: [],
    fresh: false,
    stop: async () => {
      until.abort(new Error('the test is over'))
      await done
    },
  }
  const done = runReflector<Seen>(
    {
      transport: server.handle,
      resource: pods,
      namespace: 'ci',
      project: ({ metadata }) => ({ name: metadata.name, version: metadata.resourceVersion ?? '' }),
      clock,
      random: seededRandom(7),
      sink: {
        replaced: (items, askedAt) => {
          mirror.clear()
          for (const { name, version } of items) mirror.set(name, version)
          world.replaced.push({ count: items.length, askedAt })
          world.fresh = true
        },
        changed: ({ name, version }) => void mirror.set(name, version),
        removed: ({ name }) => void mirror.delete(name),
        progressed: () => {
          world.fresh = true
        },
        stale: (_since, why) => {
          world.log.push(why)
          world.fresh = false
        },
      },
      ...more,
    },
    until.signal,
  )
  running.push(world)
  return world
}

function truth(server: FaultServer): Map<string, string> {
  return new Map([...server.objects].map(([name, object]) => [name, object.metadata.resourceVersion]))
}

/** The faults in turn, each for one request of the kind; then none. */
function inTurn(kind: 'list' | 'watch', faults: readonly Fault[]): FaultServer['faults'] {
  const left = [...faults]
  return (asked) => (asked === kind ? left.shift() : undefined)
}

const watches = (server: FaultServer) => server.requests.filter(({ kind }) => kind === 'watch')

describe('reflector', () => {
  it('mirrors a streamed list and every change after it', async () => {
    const { clock, server, mirror, replaced } = start((server) => {
      server.put('a')
      server.put('b')
    })
    await clock.advance(10)
    expect(replaced).toEqual([{ count: 2, askedAt: expect.any(Number) }])
    server.put('c')
    server.put('a')
    server.remove('b')
    await clock.advance(10)
    expect(mirror).toEqual(truth(server))
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]!.request.query).toMatchObject({ sendInitialEvents: 'true', allowWatchBookmarks: 'true' })
  })

  it('falls back to pages where the server does not stream lists', async () => {
    const { clock, server, mirror, log } = start((server) => {
      server.streamingOffered = false
      for (let index = 0; index < 1200; index++) server.put(`pod-${index}`)
    })
    await clock.advance(10)
    expect(mirror).toEqual(truth(server))
    expect(server.requests.map(({ kind }) => kind)).toEqual(['watch', 'list', 'list', 'list', 'watch'])
    expect(log).toEqual([])
  })

  it('survives a 410 status on the watch by a new list', async () => {
    const gone: Fault = { kind: 'answer', answer: statusAnswer(410, 'Expired', 'too old resource version') }
    const world = start((server) => {
      server.put('a')
      server.faults = inTurn('watch', [{ kind: 'break', afterLines: 2, by: 'reset' }, gone])
    })
    await world.clock.advance(10_000)
    world.server.put('b')
    await world.clock.advance(10)
    expect(world.mirror).toEqual(truth(world.server))
    expect(world.replaced).toHaveLength(2)
    expect(world.log).toEqual(['connection reset', 'too old resource version'])
  })
})
