// The emulated Bitbucket with our forge on virtual time, for tests that need both.
import type { KnobChange } from '@dayfly/forge-emulators/bitbucket/config'
import { type BitbucketEmulator, createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import type { Forge, ForgeExchange, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { PortError } from '@dayfly/runner-set/model/port-error'
import type { Registration } from '@dayfly/runner-set/model/runner'
import { type ForgeEventReader, readForgeEvents } from '../event-reader.fixture.ts'
import { waitVirtually } from '../waiting.fixture.ts'
import { createBitbucketForge } from './bitbucket.ts'
import type { CallBudget } from './call-budget.ts'
import type { BitbucketCredential } from './credential.ts'

export type BenchOptions = {
  readonly knobs?: KnobChange
  readonly credential?: BitbucketCredential
  readonly budget?: CallBudget
  readonly seed?: number
}

export type BitbucketBench = {
  readonly clock: VirtualClock
  readonly emulator: BitbucketEmulator
  readonly exchanges: ForgeExchange[]
  connect(path?: string): Forge
  wait<T>(promise: Promise<T>): Promise<T>
  open(name?: string, forge?: Forge): Promise<{ link: Link; reader: ForgeEventReader; stop: AbortController }>
  /** Returns the requests whose method and path match, since the beginning. */
  sent(method: string, path: RegExp): number
  queue(durationMs?: number, count?: number): readonly string[]
}

export const accessToken: BitbucketCredential = { kind: 'access-token', token: 'wat' }
export const consumer: BitbucketCredential = { kind: 'consumer', key: 'key', secret: 'secret' }

export function setNamed(name: string): ForgeSet {
  return { name, runnerPrefix: `${name}-`, labels: ['linux'], group: undefined, max: 100 }
}

export function bitbucketBench(options: BenchOptions = {}): BitbucketBench {
  const { knobs, credential = accessToken, budget, seed = 1 } = options
  const clock = virtualClock()
  const emulator = createBitbucketEmulator({
    clock,
    random: seededRandom(seed),
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials: [
      { kind: 'access-token', token: 'wat', user: 'joe' },
      { kind: 'consumer', key: 'key', secret: 'secret', user: 'joe' },
    ],
    knobs: { latencyMs: 150, ...knobs },
  })
  const exchanges: ForgeExchange[] = []
  const wait = waitVirtually(clock)
  const connect = (path = 'acme') =>
    createBitbucketForge({
      url: `http://bitbucket.test/${path}`,
      credential,
      transport: emulator.transport,
      clock,
      random: seededRandom(seed + 1),
      userAgent: 'dayfly/0.0.0',
      budget,
      onExchange: (exchange) => exchanges.push(exchange),
    })
  return {
    clock,
    emulator,
    exchanges,
    connect,
    wait,
    open: async (name = 'linux', forge = connect()) => {
      const stop = new AbortController()
      const link = await wait(forge.open(setNamed(name), undefined, stop.signal))
      const reader = readForgeEvents(link)
      await wait(reader.find('demand'))
      return { link, reader, stop }
    },
    sent: (method, path) =>
      emulator.control.requests().filter((request) => request.method === method && path.test(request.path)).length,
    queue: (durationMs, count = 1) =>
      emulator.control.queueSteps(
        Array.from({ length: count }, () => ({ repository: 'app', labels: ['linux'], durationMs })),
      ),
  }
}

/** Registers a runner and starts its process. */
export async function startRunner(bench: BitbucketBench, link: Link, name: string): Promise<Registration> {
  const outcome = await bench.wait(link.register(name))
  if (outcome.is !== 'registered') throw new Error(`${name} is limited: ${outcome.reason}`)
  bench.emulator.control.stub.online(name)
  return outcome.registration
}

/** Returns the error with which the promise rejects. */
export async function errorOf(bench: BitbucketBench, promise: Promise<unknown>): Promise<PortError> {
  return bench.wait(
    promise.then(
      () => Promise.reject(new Error('it did not reject')),
      (error: PortError) => error,
    ),
  )
}
