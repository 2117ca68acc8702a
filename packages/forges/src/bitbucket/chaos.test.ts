// Random faults on any route, in any order, with steps and removals. No removed runner had a step, and afterwards the state is the same as without them.
import type { FaultSpec } from '@dayfly/forge-emulators/server/faults'
import { isFull } from '@dayfly/kit/full.fixture'
import { type Random, randomInteger, seededRandom } from '@dayfly/kit/random'
import type { Link } from '@dayfly/runner-set/forge/forge'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { Registration } from '@dayfly/runner-set/model/runner'
import { expect, test } from 'vitest'
import { type BitbucketBench, bitbucketBench, consumer } from './bench.fixture.ts'

const actions: readonly FaultSpec['action'][] = [
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'after' },
  { kind: 'reset', when: 'mid-body' },
  { kind: 'truncate' },
  { kind: 'empty' },
  { kind: 'bom' },
  { kind: 'delay', ms: 20_000 },
  { kind: 'answer', status: 400, headers: {}, body: { type: 'error', error: { message: 'limit exceeded' } } },
  { kind: 'answer', status: 401, headers: {}, body: {} },
  { kind: 'answer', status: 403, headers: {}, text: '<html>' },
  { kind: 'answer', status: 404, headers: {}, body: {} },
  { kind: 'answer', status: 409, headers: {}, body: {} },
  { kind: 'answer', status: 422, headers: {}, body: { error: 'x' } },
  { kind: 'answer', status: 429, headers: { 'retry-after': '7' }, text: 'slow down' },
  { kind: 'answer', status: 429, headers: {}, body: {} },
  { kind: 'answer', status: 500, headers: {}, text: 'oops' },
  { kind: 'answer', status: 200, headers: {}, body: { surprise: true } },
  { kind: 'answer', status: 200, headers: {}, body: [] },
  { kind: 'members', members: { values: [] } },
  { kind: 'members', members: { values: null, expires_in: -1 } },
  { kind: 'members', members: { next: 'http://bitbucket.test/nowhere' } },
]
const routes = ['.', 'runners$', 'runners/[^/]+$', 'state$', 'access_token', 'workspaces/acme$']

function randomFault(random: Random): FaultSpec {
  const pick = <T>(items: readonly T[]): T => items[randomInteger(random, 0, items.length - 1)] as T
  const method = random() < 0.5 ? {} : { method: pick(['GET', 'POST', 'PUT', 'DELETE']) }
  const [nth, times] = [randomInteger(random, 1, 4), randomInteger(random, 1, 4)]
  return { match: { ...method, pathRegex: pick(routes) }, nth, times, action: pick(actions) }
}

/** Resolves with undefined for an error of the port. Any other error fails the test. */
function tolerant<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch((error: unknown) => {
    if (error instanceof PortError) return undefined
    throw error
  })
}

/** One random act of an operator, a runner or the network. Its calls go on while the next act begins. */
function act(bench: BitbucketBench, link: Link, random: Random, round: number): Promise<unknown> {
  const { control } = bench.emulator
  const kind = randomInteger(random, 0, 4)
  if (kind === 0) control.fault(randomFault(random))
  if (kind === 1) bench.queue(randomInteger(random, 1_000, 90_000), 2)
  if (kind === 2) return tolerant(link.register(`linux-${round}`)).then(() => control.stub.online(`linux-${round}`))
  const { uuid, name } = control.runners()[randomInteger(random, 0, 5)] ?? { uuid: '0', name: 'linux-none' }
  const registration: Registration = { id: `{${uuid}}`, name, status: 'unknown', busy: 'unknown' }
  if (kind === 3) return tolerant(link.deregister(registration))
  return kind === 4 && random() < 0.5 ? tolerant(link.cordon(registration)) : Promise.resolve()
}

test.each(Array.from({ length: isFull ? 60 : 30 }, (_, seed) => seed))('seed %i', async (seed) => {
  const random = seededRandom(seed)
  const knobs = {
    latencyMs: [0, 50, 300][seed % 3] ?? 0,
    stepShown: seed % 2 === 0 ? 'picked-up' : 'assigned',
    publicState: seed % 4 === 0 ? 'accepted' : 'ignored',
    stepNull: seed % 5 === 0,
    pageMax: seed % 7 === 0 ? 2 : 100,
    noRunner: 'queue',
    tokenTtlS: 300,
  } as const
  const bench = bitbucketBench({ knobs, seed, ...(seed % 2 === 0 ? { credential: consumer } : {}) })
  const { link, reader } = await bench.open()
  const steps: string[] = []
  bench.emulator.control.onStep(({ kind, id }) => kind === 'finished' && steps.push(id))
  const acts: Promise<unknown>[] = []
  for (let round = 0; round < 60; round++) {
    acts.push(act(bench, link, random, round))
    await bench.clock.advance(randomInteger(random, 0, 20_000))
  }
  const end = bench.emulator.control
  for (let id = 1; id <= 60; id++) end.removeFault(id)
  await bench.clock.advance(20 * 60_000)
  await bench.wait(Promise.all(acts))
  // A DELETE fails the step of its runner. No step may end so.
  expect(steps.map((id) => end.step(id)?.reason).filter((reason) => reason !== undefined)).toEqual([])
  reader.clear()
  const listed = await bench.wait(link.registrations())
  expect(listed.map(({ name }) => name)).toEqual(end.runners().map(({ name }) => name))
  const busy = end.runners().filter((runner) => runner.step !== undefined).length
  const demand = await bench.wait(reader.find('demand'))
  expect(demand.demand).toMatchObject({ kind: 'utilisation', busy })
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length)
  for (const registration of listed.filter((each) => each.busy !== true)) {
    expect(await bench.wait(link.deregister(registration))).toBe('removed')
  }
  await bench.wait(link.close('pause'))
  await reader.ended
})
