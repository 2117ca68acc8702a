import type { Clock } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer, type Request, TransportError } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { aborted } from '@dayfly/kit/signals'
import { stopwatchOf, type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, it } from 'vitest'
import { createKubernetes } from './client.ts'
import type { ElectionState } from './election.ts'
import { statusAnswer } from './fault-server.fixture.ts'
import { createElector, type Leadership } from './lease.ts'

type Lease = { metadata: { resourceVersion: string }; spec: { holderIdentity: string; leaseTransitions: number } }

/**
 * Serves one Lease by the real rules: 404, and 409 for a stale resourceVersion. `fault` chooses a fault for each candidate, before and after
 * the server carries out the request.
 */
function leaseServer(clock: Clock) {
  let revision = 0
  const server = {
    lease: undefined as Lease | undefined,
    requests: 0,
    leading: 0,
    leadingMost: 0,
    fault: undefined as undefined | ((who: string, request: Request) => 'down' | 'lost' | number | undefined),
    transport:
      (who: string) =>
      async (request: Request): Promise<Answer> => {
        server.requests++
        const fault = server.fault?.(who, request)
        if (fault === 'down') throw new TransportError('connect', 'refused')
        if (typeof fault === 'number') await clock.sleep(fault, request.signal)
        request.signal?.throwIfAborted()
        const answer = carryOut(request)
        if (fault === 'lost') throw new TransportError('lost', 'reset')
        return answer
      },
  }
  const carryOut = (request: Request): Answer => {
    const body = request.body.kind === 'json' ? (request.body.value as Lease) : undefined
    if (request.method === 'POST') {
      if (server.lease) return statusAnswer(409, 'AlreadyExists', 'exists')
    } else if (!server.lease) {
      return statusAnswer(404, 'NotFound', 'no lease')
    }
    if (request.method === 'GET' || !body) return jsonAnswer(200, structuredClone(server.lease))
    if (server.lease && body.metadata.resourceVersion !== server.lease.metadata.resourceVersion) {
      return statusAnswer(409, 'Conflict', 'modified')
    }
    server.lease = { ...body, metadata: { ...body.metadata, resourceVersion: String(++revision) } }
    return jsonAnswer(200, structuredClone(server.lease))
  }
  return server
}

type Candidate = {
  readonly states: { readonly at: number; readonly state: ElectionState }[]
  leadership: Leadership | undefined
  leads(): boolean
  abort(): void
  stop(): Promise<void>
}

function candidate(
  name: string,
  {
    clock,
    server,
    windDownMs = 0,
  }: { clock: VirtualClock; server: ReturnType<typeof leaseServer>; windDownMs?: number },
): Candidate {
  const random = seededRandom(name.length + name.charCodeAt(0))
  const kubernetes = createKubernetes({ transport: server.transport(name), clock, random })
  const until = new AbortController()
  const start = clock.now()
  const self: Candidate = {
    states: [],
    leadership: undefined,
    leads: () => self.leadership !== undefined && !self.leadership.signal.aborted,
    abort: () => until.abort(new Error('stop')),
    stop: async () => {
      self.abort()
      while (self.states.at(-1)?.state.is !== 'stopped') await clock.advance(500)
      await done
    },
  }
  const onState = (state: ElectionState) => void self.states.push({ at: clock.now() - start, state })
  const stopwatch = stopwatchOf(clock)
  const named = { namespace: 'ci', name: 'dayfly', identity: name }
  const elector = createElector({ ...named, kubernetes, clock, stopwatch, random, onState })
  const done = elector.run(async (leadership) => {
    self.leadership = leadership
    server.leadingMost = Math.max(server.leadingMost, ++server.leading)
    await aborted(leadership.signal)
    server.leading--
    if (windDownMs) await clock.sleep(windDownMs)
  }, until.signal)
  return self
}

describe('elector', () => {
  it('creates the lease, leads, renews it, and releases it on stop, so that a successor starts immediately', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    const first = candidate('a', { clock, server })
    await clock.advance(60_000)
    expect(first.leads()).toBe(true)
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      renewTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    expect(first.leadership!.isCertain()).toBe(true)
    const second = candidate('b', { clock, server })
    await clock.advance(30_000)
    expect(second.leads()).toBe(false)
    expect(second.states).toEqual([{ at: 0, state: { is: 'following', holder: 'a' } }])
    await first.stop()
    expect(server.lease?.spec.holderIdentity).toBe('')
    await clock.advance(2_500)
    expect(second.leads()).toBe(true)
    expect(server.lease?.spec.leaseTransitions).toBe(1)
    await second.stop()
  })

  it('never lets two candidates lead at once if answers are lost, late or refused', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const clock = virtualClock()
      const server = leaseServer(clock)
      const random = seededRandom(seed)
      const three = ['a', 'b', 'c'].map((name) => candidate(name, { clock, server }))
      server.fault = () => {
        const roll = random()
        if (roll < 0.2) return 'down'
        if (roll < 0.4) return 'lost'
        return roll < 0.7 ? Math.floor(random() * 14_000) : undefined
      }
      for (let step = 0; step < 300; step++) {
        await clock.advance(500)
        expect(server.leadingMost, `seed ${seed}`).toBeLessThanOrEqual(1)
        for (const one of three.filter((one) => one.leads())) expect(one.leadership!.isCertain()).toBe(true)
      }
      server.fault = undefined
      await clock.advance(40_000)
      expect(three.filter((one) => one.leads())).toHaveLength(1)
      for (const one of three) await one.stop()
    }
  })

  it('stops leading before the lease ends if the API server is down, and the other candidate starts later', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    const first = candidate('a', { clock, server })
    await clock.advance(1_000)
    const second = candidate('b', { clock, server })
    await clock.advance(9_000)
    const cutAt = clock.now()
    server.fault = (who) => (who === 'a' ? 'down' : undefined)
    let firstStopped = 0
    let secondStarted = 0
    while (!secondStarted) {
      await clock.advance(100)
      if (!first.leads()) firstStopped ||= clock.now()
      if (second.leads()) secondStarted = clock.now()
    }
    expect(firstStopped - cutAt).toBeLessThanOrEqual(10_000)
    expect(secondStarted - firstStopped).toBeGreaterThanOrEqual(3_000)
    expect(secondStarted - cutAt).toBeLessThanOrEqual(20_000)
    expect(first.states.at(-1)?.state).toEqual({ is: 'lost', why: 'the lease was not renewed in time' })
    server.fault = undefined
    await clock.advance(5_000)
    expect(first.states.at(-1)?.state).toEqual({ is: 'following', holder: 'b' })
    await first.stop()
    await second.stop()
  })

  it('keeps leading during an outage shorter than its term, and after lost and slow answers', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    const only = candidate('a', { clock, server })
    await clock.advance(10_000)
    for (const fault of ['down', 'lost', 3_000] as const) {
      server.fault = () => fault
      await clock.advance(5_000)
      server.fault = undefined
      await clock.advance(10_000)
      expect(only.leads()).toBe(true)
    }
    expect(only.states.map(({ state }) => state.is)).toEqual(['leading'])
    await only.stop()
  })

  it('counts a term from its request, never from its answer', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    server.fault = () => 4_500
    const only = candidate('a', { clock, server })
    await clock.advance(9_100)
    server.fault = () => 'down'
    expect(only.leadership!.isCertain()).toBe(true)
    await clock.advance(5_500)
    expect(only.leadership!.isCertain()).toBe(false)
    server.fault = undefined
    await only.stop()
  })

  it('loses the leadership immediately if another client takes or deletes the lease', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    const only = candidate('a', { clock, server })
    await clock.advance(5_000)
    server.lease!.spec.holderIdentity = 'thief'
    server.lease!.metadata.resourceVersion = 'other'
    await clock.advance(2_500)
    expect(only.states.slice(-2).map(({ state }) => state)).toEqual([
      { is: 'lost', why: 'thief holds the lease' },
      { is: 'following', holder: 'thief' },
    ])
    await clock.advance(20_000)
    expect(only.leads()).toBe(true)
    server.lease = undefined
    await clock.advance(2_500)
    expect(only.states.slice(-2).map(({ state }) => state)).toEqual([
      { is: 'lost', why: 'the lease was deleted' },
      { is: 'leading' },
    ])
    await only.stop()
  })

  it('measures the age of a record with its own clock, not by the times in the record', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    const first = candidate('a', { clock, server })
    await clock.advance(1_000)
    server.fault = (who) => (who === 'a' ? 'down' : undefined)
    Object.assign(server.lease!.spec, { renewTime: '2099-01-01T00:00:00.000000Z' })
    const second = candidate('b', { clock, server })
    await clock.advance(14_000)
    expect(second.leads()).toBe(false)
    await clock.advance(4_000)
    expect(second.leads()).toBe(true)
    await second.stop()
    await first.stop()
  })

  it('releases the lease only after its work has ended', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    const only = candidate('a', { clock, server, windDownMs: 4_000 })
    await clock.advance(1_000)
    only.abort()
    await clock.advance(3_900)
    expect(only.leads()).toBe(false)
    expect(server.lease?.spec.holderIdentity).toBe('a')
    await only.stop()
    expect(server.lease?.spec.holderIdentity).toBe('')
    expect(only.states.at(-1)?.state).toEqual({ is: 'stopped' })
  })

  it('sends few requests', async () => {
    const clock = virtualClock()
    const server = leaseServer(clock)
    const both = [candidate('a', { clock, server }), candidate('b', { clock, server })]
    await clock.advance(60_000)
    expect(server.requests).toBeLessThanOrEqual(2 * 60)
    for (const one of both) await one.stop()
  })
})
