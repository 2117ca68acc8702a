// The bench of the numbered cases: a server, our client, and runners that a test plays.
import { assert } from '@dayfly/kit/assert'
import type { Forge, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { ForgeEventReader } from '../event-reader.fixture.ts'

/** A server with one empty repository, and our client at it. */
export interface GiteaBench {
  /** The beginning of the paths of the repository, for example `/repos/acme/app`. */
  readonly level: string
  /** Resolves with the promise. Rejects when it takes too long. */
  wait<T>(promise: Promise<T>): Promise<T>
  /** Connects a set, and waits for its first demand. @param aheadMs how far our clock is ahead of that of the server */
  open(set?: Partial<ForgeSet>, aheadMs?: number): Promise<{ readonly link: Link; readonly reader: ForgeEventReader }>
  /** Connects the organization acme, which owns the repository, with the token of a member who does not own it. */
  connectMember(): Promise<Forge>
  /** Starts a workflow with this text below `jobs:`. It needs `on` no event. Resolves when its jobs are there. */
  start(jobs: string): Promise<void>
  /** Calls the REST API below the repository, as its owner. */
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>
  /** Calls the REST API as an administrator. */
  api(method: string, path: string, body?: unknown): Promise<RestAnswer>
  /** Calls the API of the runners. */
  rpc(name: string, message: unknown, runner?: RunnerKey): Promise<Readonly<Record<string, unknown>>>
  /** Cancels the run of a job, as the web page does. */
  cancel(jobId: string): Promise<void>
  /** Resets the registration token of the repository, as the web page does. */
  resetToken(): Promise<void>
  archive(): Promise<void>
  /** The server crashes, and starts again when the promise has settled. */
  crash(until: () => Promise<unknown>): Promise<void>
  /** Resolves when waiting jobs and silent tasks of the past are too old for a server with short timeouts. */
  outlastTimeouts(): Promise<void>
}

/** A numbered case. The name begins with its number. */
export type GiteaCase = { readonly name: string; run(bench: GiteaBench): Promise<void> }

type RestAnswer = { readonly status: number; readonly value: unknown }

export type RunnerKey = { readonly uuid: string; readonly token: string }

/** A runner that a test plays. */
type Played = RunnerKey & { readonly registration: Registration }

/** Returns a job with these labels, as text below `jobs:`. */
export const build = (labels: string, count = 1) =>
  `  build:\n    runs-on: ${labels}\n    strategy: { matrix: { n: [${[...Array(count).keys()].join()}] } }\n    steps: [{ run: "true" }]\n`

/** Returns a job whose run replaces the waiting ones of its group. */
export const grouped = (group: string) => `${build('linux')}concurrency: ${group}\n`

/** Registers a runner of our set, which is not online yet. */
export async function registered(bench: GiteaBench, link: Link, name: string): Promise<Played> {
  const outcome = await bench.wait(link.register(name))
  assert(outcome.is === 'registered', `${name} is ${outcome.is}`)
  const { uuid, token } = JSON.parse(outcome.credential.reveal()['runner'] ?? '')
  return { uuid, token, registration: outcome.registration }
}

/** The runner declares itself, as its program does when it starts. */
export async function online(bench: GiteaBench, link: Link, name: string): Promise<Played> {
  const runner = await registered(bench, link, name)
  await bench.rpc('Declare', { version: 'test', labels: ['linux'] }, runner)
  return runner
}

/** Asks for a task. Returns its id; undefined if there is none. */
export async function fetchTask(bench: GiteaBench, runner: RunnerKey): Promise<string | undefined> {
  const { task } = await bench.rpc('FetchTask', { tasksVersion: '0' }, runner)
  return task === undefined ? undefined : String((task as { readonly id: unknown }).id)
}

/** Reports the success of a task. */
export async function endTask(bench: GiteaBench, runner: RunnerKey, id: string | undefined, stoppedAt?: string) {
  const state = { id, result: 'RESULT_SUCCESS', startedAt: '2020-01-01T00:00:00Z', steps: [] }
  await bench.rpc('UpdateTask', { state: { ...state, ...(stoppedAt === undefined ? {} : { stoppedAt }) } }, runner)
}

/** Waits for the demand of so many jobs. */
export function demand(bench: GiteaBench, reader: ForgeEventReader, jobs: number): Promise<unknown> {
  return bench.wait(reader.find('demand', (event) => event.demand.kind === 'queued' && event.demand.jobs === jobs))
}

/** Registers a runner beside ours. Returns its part of the answer. @param level the beginning of the paths of its level */
export async function registerOther(bench: GiteaBench, level: string, name: string, more: object = {}) {
  const { value } = await bench.api('POST', `${level}/actions/runners/registration-token`)
  const { token } = value as { readonly token: string }
  const answer = await bench.rpc('Register', { name, token, labels: ['linux'], version: 'test', ...more })
  return answer['runner'] as RunnerKey & { readonly id: string; readonly name: string }
}

/** Returns the events of this kind. */
export function reported<K extends ForgeEvent['kind']>(reader: ForgeEventReader, kind: K) {
  return reader.events.filter((event): event is Extract<ForgeEvent, { kind: K }> => event.kind === kind)
}

export function names(registrations: readonly Registration[]): string {
  return registrations
    .map(({ name }) => name)
    .sort()
    .join()
}
