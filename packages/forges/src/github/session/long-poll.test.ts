import type { KnobChange } from '@dayfly/forge-emulators/github/config'
import { type TestApp, testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { type Transport, TransportError } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { readForgeEvents } from '../../event-reader.fixture.ts'
import { readCredential } from '../credentials/credential.ts'
import { createGitHubForge } from '../github.ts'

let app: TestApp
const ends: (() => void)[] = []
beforeAll(() => {
  app = testApp(1)
})
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const set: ForgeSet = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 10 }

type Between = (transport: Transport, clock: VirtualClock) => Transport

/** An App's account on the emulator at 150 ms of latency. `between` sits between the client and GitHub, as a proxy does. */
function world(knobs: KnobChange = {}, between: Between = (transport) => transport) {
  const clock = virtualClock()
  const all = { latencyMs: 150, ...knobs }
  const emulator = createGitHubEmulator({ clock, random: seededRandom(1), apps: [app.app], knobs: all })
  const process = (owner: string) => {
    const stop = new AbortController()
    ends.push(() => stop.abort())
    const forge = createGitHubForge({
      url: 'http://github.test/acme',
      credential: readCredential(app.entries(), 'github'),
      transport: between(emulator.transport, clock),
      clock,
      random: seededRandom(2),
      userAgent: 'dayfly/test',
      owner,
    })
    const open = async (remembered = { scaleSetId: '', creating: 'linux' }) => {
      const opening = forge.open(set, remembered, stop.signal)
      await clock.advance(5_000)
      const link = await opening
      return { link, reader: readForgeEvents(link) }
    }
    return { open, stop }
  }
  const queue = (count: number) => {
    const job = { labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }
    emulator.control.queueJobs(Array.from({ length: count }, () => job))
  }
  ends.push(() => emulator.close())
  return { clock, emulator, process, queue }
}

type Reader = ReturnType<typeof readForgeEvents>

function demandOf({ events }: Reader): unknown {
  const last = events.findLast(({ kind }) => kind === 'demand')
  return last?.kind === 'demand' && 'jobs' in last.demand ? last.demand.jobs : undefined
}

function failuresOf({ events }: Reader): readonly string[] {
  return events.flatMap((event) => (event.kind === 'failing' ? [event.failure.reason] : []))
}

test('every token of an App may expire in the middle of a poll: nothing fails, and the next job is seen', async () => {
  const { clock, emulator, process, queue } = world({ queueTtlS: 70, adminTtlS: 90, installationTtlS: 400 })
  const { open } = process('one')
  const { link, reader } = await open()
  await clock.advance(20 * 60_000)
  queue(3)
  await clock.advance(2_000)
  expect(demandOf(reader)).toBe(3)
  const registering = link.register('linux-a')
  await clock.advance(2_000)
  expect(await registering).toMatchObject({ is: 'registered' })
  expect(failuresOf(reader)).toEqual([])
  const requests = emulator.control.requests()
  expect(requests.filter(({ path }) => path.endsWith('/access_tokens')).length).toBeGreaterThan(2)
  expect(
    requests.filter(({ method, path }) => method === 'PATCH' && /\/sessions\/[\w-]+$/.test(path)).length,
  ).toBeGreaterThan(10)
  expect(requests.filter(({ path }) => /\/sessions$/.test(path))).toHaveLength(1)
})

test('a queue token that GitHub revokes during a poll is renewed with the token of the App', async () => {
  const { clock, emulator, process, queue } = world({ longPollMs: 20_000 })
  const { reader } = await process('one').open()
  const refused = { kind: 'answer', status: 401, headers: {}, body: { message: 'expired' } } as const
  emulator.control.fault({ match: { method: 'GET', pathRegex: '/scalesets/message' }, action: refused })
  await clock.advance(25_000)
  queue(1)
  await clock.advance(3_000)
  expect(demandOf(reader)).toBe(1)
  expect(failuresOf(reader)).toEqual([])
})

test('two controllers on one account: the second reports session-taken, and takes over when the first ends', async () => {
  const { clock, emulator, process, queue } = world({ longPollMs: 20_000 })
  const one = await process('one').open()
  await clock.advance(2_000)
  const second = process('two')
  const state = one.reader.events.findLast(({ kind }) => kind === 'state')
  const { sessionId: _, ...remembered } = state?.kind === 'state' ? state.state : {}
  const two = await second.open({ scaleSetId: '', creating: '', ...remembered })
  await clock.advance(60_000)
  expect(failuresOf(two.reader)).toEqual(['session-taken'])
  expect(failuresOf(one.reader)).toEqual([])
  queue(2)
  await clock.advance(2_000)
  expect([demandOf(one.reader), demandOf(two.reader)]).toEqual([2, undefined])
  const closing = one.link.close('pause')
  await clock.advance(20_000)
  await closing
  expect(demandOf(two.reader)).toBe(2)
  const posts = emulator.control
    .requests()
    .filter(({ method, path }) => method === 'POST' && /runnerscalesets$/.test(path))
  expect(posts).toHaveLength(1)
})

/** Cuts every poll that is silent for 30 s. */
function cutting(isDown: () => boolean): Between {
  return (transport, clock) => async (request) => {
    if (request.expect !== 'bytes') {
      if (isDown()) throw new TransportError('connect', 'the proxy cannot reach the server')
      return transport(request)
    }
    const cut = clock.sleep(30_000, request.signal).then(() => {
      throw new TransportError('lost', 'the proxy cut the connection')
    })
    return Promise.race([isDown() ? cut : transport(request), cut])
  }
}

test('a proxy that cuts silent polls is no failure: demand is known, and a queued job is seen', async () => {
  let isDown = false
  const { clock, process, queue, emulator } = world(
    {},
    cutting(() => isDown),
  )
  const { reader } = await process('one').open()
  await clock.advance(15 * 60_000)
  expect(failuresOf(reader)).toEqual([])
  queue(4)
  await clock.advance(2_000)
  expect(demandOf(reader)).toBe(4)
  expect(emulator.control.requests().filter(({ path }) => /\/sessions$/.test(path))).toHaveLength(1)
  isDown = true
  await clock.advance(3 * 60_000)
  expect(failuresOf(reader)).toEqual(['forge-unreachable'])
  isDown = false
  reader.clear()
  await clock.advance(60_000)
  expect(demandOf(reader)).toBe(4)
})

test('case 39: a set that no client used for seven days is created again, with messages from the start', async () => {
  const { clock, emulator, process, queue } = world({ longPollMs: 20_000 })
  const first = await process('one').open()
  await clock.advance(5_000)
  queue(1)
  await clock.advance(5_000)
  const before = first.reader.events.findLast(({ kind }) => kind === 'state')
  const closing = first.link.close('pause')
  await clock.advance(5_000)
  await closing
  await clock.advance(7 * 24 * 3_600_000 + 1_000)
  const { reader } = await process('two').open(
    before?.kind === 'state' ? { scaleSetId: '', creating: '', ...before.state } : undefined,
  )
  await clock.advance(30_000)
  queue(2)
  await clock.advance(5_000)
  expect(demandOf(reader)).toBeGreaterThanOrEqual(2)
  const after = reader.events.findLast(({ kind }) => kind === 'state')
  expect(after).not.toMatchObject({ state: { scaleSetId: before?.kind === 'state' ? before.state['scaleSetId'] : '' } })
  const polls = emulator.control.requests().filter(({ method, path }) => method === 'GET' && path.endsWith('/message'))
  const isFresh = ({ query }: (typeof polls)[number]) => query['lastMessageId'] === undefined
  expect(polls.filter(isFresh).length).toBeGreaterThanOrEqual(2)
})
