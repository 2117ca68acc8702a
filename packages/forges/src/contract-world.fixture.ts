// The world of the forge contract: a forge under the control of a test, and the steps that its cases share.
import { assert } from '@dayfly/kit/assert'
import type { Forge, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { Credential } from '@dayfly/runner-set/model/credential'
import type { Demand } from '@dayfly/runner-set/model/demand'
import type { ForgeState } from '@dayfly/runner-set/model/forge-event'
import { PortError, type PortErrorKind } from '@dayfly/runner-set/model/port-error'
import type { Registration } from '@dayfly/runner-set/model/runner'
import { type ForgeEventReader, readForgeEvents } from './event-reader.fixture.ts'

/** A forge under the control of a test. */
export interface ForgeWorld {
  readonly set: ForgeSet
  /** Returns the forge as a new process creates it: the same account, nothing remembered. */
  connect(): Forge
  /** Resolves with the promise, advancing virtual time where there is any. Rejects when it takes too long. */
  wait<T>(promise: Promise<T>): Promise<T>
  /** Queues jobs for the set. They wait until a runner takes them. */
  queueJobs(count: number): void
  /** The runner's process starts and connects. */
  startRunner(name: string, credential: Credential): Promise<void>
  /** The runner starts a waiting job, and finishes it. */
  startJob(name: string): Promise<void>
  finishJob(name: string): Promise<void>
  /** Cuts the connection to the forge, or restores it. */
  reachable(yes: boolean): void
  /** The forge refuses the next acknowledgement, and so delivers the message again. Does nothing where the forge has no messages. */
  refuseAcknowledgement(): void
  /** The forge refuses our credential from now on. */
  refuseCredential(): void
  /** Adds a runner group that our sets may use. Does nothing where the forge has no groups. */
  addGroup(name: string): void
  /** The forge refuses every change of labels and group from now on. */
  refuseSettings(): void
  /** The forge answers removals of registrations in this way from now on. */
  refuseRemovals(how: RemovalRefusal): void
  /** Returns the labels and the runner group of our set at the forge, or of its newest runner. */
  settings(): Promise<{ readonly labels: readonly string[]; readonly group: string | undefined }>
  /** Returns how many records of ours the forge has. */
  records(): { readonly sessions: number; readonly sets: number; readonly registrations: number }
  end(): Promise<void>
}

/** `limited` states a time at which to try again. */
export type RemovalRefusal = 'unauthorized' | 'limited' | 'unavailable'

export type Open = {
  readonly forge: Forge
  readonly link: Link
  readonly reader: ForgeEventReader
  readonly stop: AbortController
}

export async function open(world: ForgeWorld, remembered?: ForgeState): Promise<Open> {
  const stop = new AbortController()
  const forge = world.connect()
  const link = await world.wait(forge.open(world.set, remembered, stop.signal))
  return { forge, link, reader: readForgeEvents(link), stop }
}

export async function openToDemand(world: ForgeWorld, remembered?: ForgeState): Promise<Open> {
  const opened = await open(world, remembered)
  await world.wait(opened.reader.find('demand'))
  return opened
}

/** Waits for the demand of these jobs, as far as the forge shows it. */
export function waitForJobs(
  world: ForgeWorld,
  reader: ForgeEventReader,
  jobs: { readonly waiting: number; readonly running?: number },
): Promise<unknown> {
  const { waiting, running = 0 } = jobs
  const shows = (demand: Demand) => {
    if (demand.kind === 'utilisation') return demand.busy === running
    return demand.jobs === (demand.kind === 'queued' ? waiting : waiting + running)
  }
  return world.wait(reader.find('demand', ({ demand }) => shows(demand)))
}

export async function register(
  world: ForgeWorld,
  link: Link,
  name: string,
): Promise<Registration & { credential: Credential }> {
  const outcome = await world.wait(link.register(name))
  assert(outcome.is === 'registered', `${name} is ${outcome.is}`)
  return { ...outcome.registration, credential: outcome.credential }
}

/** Registers a runner and starts a job on it. */
export async function runJob(world: ForgeWorld, { link, reader }: Open, name: string): Promise<Registration> {
  world.queueJobs(1)
  const { credential, ...registration } = await register(world, link, name)
  await world.startRunner(name, credential)
  await world.startJob(name)
  await world.wait(reader.find('job-started', ({ runner }) => runner === name))
  return registration
}

export function lastState(reader: ForgeEventReader): ForgeState | undefined {
  return reader.events.flatMap((event) => (event.kind === 'state' ? [event.state] : [])).at(-1)
}

export async function rejects(
  world: ForgeWorld,
  promise: Promise<unknown>,
  ...kinds: readonly PortErrorKind[]
): Promise<PortError> {
  const error = await world.wait(
    promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    ),
  )
  assert(error instanceof PortError, `expected a PortError, got ${String(error)}`)
  assert(kinds.includes(error.kind), `expected ${kinds.join(' or ')}, got ${error.kind}: ${error.message}`)
  return error
}
