// The lists of a level: its runners and its jobs (docs/reference/gitea.md#s3-1).
import type { Answer } from '@dayfly/kit/http'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { type GiteaApi, jsonOf } from './api.ts'
import { badAnswer } from './errors.ts'
import type { Server } from './server.ts'
import { type ListedJob, type ListedRunner, type Page, readForgejoJob, readJob, readPage, readRunner } from './wire.ts'

/** The most that a server with the default settings sends at once. */
const pageLength = 50
const pagesMax = 100
/** Entries move between pages while a list is read. It is read again so often until it is whole. */
const readsMax = 3

type Listed<Entry> = {
  readonly entries: readonly Entry[]
  /** Whether nothing moved while it was read: every entry is there once. */
  readonly isWhole: boolean
}

/** Returns the runners of the level. Rejects if they changed during each of three reads. */
export async function listRunners(
  api: GiteaApi,
  server: Server,
  signal?: AbortSignal,
): Promise<readonly ListedRunner[]> {
  for (let reads = 1; reads <= readsMax; reads++) {
    const { entries, isWhole } = await runnersOnce(api, server, signal)
    if (isWhole) return entries
  }
  throw badAnswer(`the list of runners changed while it was read, ${readsMax} times`)
}

/** Returns the jobs that wait or run. @param states `running` alone is short, whatever waits */
export async function listJobs(
  api: GiteaApi,
  server: Server,
  states: 'unfinished' | 'running',
  signal?: AbortSignal,
): Promise<Listed<ListedJob>> {
  if (server.dialect.jobs === 'unfinished') return forgejoJobs(api, server, signal)
  const search = states === 'running' ? 'status=in_progress' : 'status=queued&status=in_progress'
  const list = { path: '/actions/jobs', search, key: 'jobs', read: readJob, operation: 'poll' } as const
  return listOnce(api, server, list, signal)
}

/** Returns one page of the jobs that are over, the oldest ones on the first. Only a server with the list of every job has it. */
export async function endedJobs(
  api: GiteaApi,
  server: Server,
  page: number,
  signal: AbortSignal | undefined,
): Promise<Page<ListedJob>> {
  const list = {
    path: '/actions/jobs',
    search: 'status=completed',
    key: 'jobs',
    read: readJob,
    operation: 'poll',
  } as const
  return readOnePage(api, server, { list, page, signal })
}

/** Returns undefined for a job that is gone. */
export async function readOneJob(
  api: GiteaApi,
  server: Server,
  { repository, id }: Pick<ListedJob, 'repository' | 'id'>,
  signal?: AbortSignal,
): Promise<ListedJob | undefined> {
  const path = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}/actions/jobs/${id}`
  try {
    const job = readJob(
      jsonOf(await api.rest(server.root, { operation: 'poll', method: 'GET', path, signal }), 'a job'),
    )
    if (job) return job
    throw badAnswer('a job has another form')
  } catch (error) {
    if (error instanceof PortError && error.kind === 'not-found') return undefined
    throw error
  }
}

type List<Entry> = {
  readonly path: string
  readonly search: string
  readonly key: string
  readonly read: (value: unknown) => Entry | undefined
  readonly operation: 'poll' | 'list-registrations'
}

type PageOf<Entry> = {
  readonly list: List<Entry>
  readonly page: number
  readonly signal: AbortSignal | undefined
}

async function readOnePage<Entry>(
  api: GiteaApi,
  { root, path: level }: Server,
  { list: { path, search, key, read, operation }, page, signal }: PageOf<Entry>,
): Promise<Page<Entry>> {
  const query = `${search === '' ? '' : `${search}&`}limit=${pageLength}&page=${page}`
  const answer = await api.rest(root, { operation, method: 'GET', path: `${level}${path}`, search: query, signal })
  const found = readPage(jsonOf(answer, `the list of ${key}`), key, read)
  if (!found) throw badAnswer(`the list of ${key} has another form`)
  return found
}

/** The server may send shorter pages than asked, so only its total tells the end. */
async function listOnce<Entry extends { readonly id: string }>(
  api: GiteaApi,
  server: Server,
  list: List<Entry>,
  signal: AbortSignal | undefined,
): Promise<Listed<Entry>> {
  const entries = new Map<string, Entry>()
  let seen = 0
  for (let page = 1; page <= pagesMax; page++) {
    const found = await readOnePage(api, server, { list, page, signal })
    for (const entry of found.entries) entries.set(entry.id, entry)
    seen += found.entries.length
    if (seen >= found.total || found.entries.length === 0) {
      return { entries: [...entries.values()], isWhole: entries.size === found.total && seen === found.total }
    }
  }
  throw badAnswer(`the list of ${list.key} has more than ${pagesMax} pages`)
}

async function runnersOnce(api: GiteaApi, server: Server, signal?: AbortSignal): Promise<Listed<ListedRunner>> {
  const list = {
    path: '/actions/runners',
    search: '',
    key: 'runners',
    read: readRunner,
    operation: 'list-registrations',
  } as const
  if (server.dialect.jobs === 'every') return listOnce(api, server, list, signal)
  const runners = new Map<string, ListedRunner>()
  let seen = 0
  for (let page = 1; page <= pagesMax; page++) {
    const search = `limit=${pageLength}&page=${page}`
    const path = `${server.path}${list.path}`
    const answer = await api.rest(server.root, { operation: list.operation, method: 'GET', path, search, signal })
    const entries = plainList(answer, 'runners', readRunner)
    for (const runner of entries) runners.set(runner.id, runner)
    seen += entries.length
    const total = Number(answer.headers['x-total-count'] ?? Number.NaN)
    if (entries.length === 0 || seen >= total) {
      return { entries: [...runners.values()], isWhole: runners.size === seen && !(seen < total) }
    }
  }
  throw badAnswer(`the list of runners has more than ${pagesMax} pages`)
}

/** Forgejo sends all unfinished jobs at once, and null if there is none (docs/reference/gitea.md#s7). */
async function forgejoJobs(api: GiteaApi, server: Server, signal?: AbortSignal): Promise<Listed<ListedJob>> {
  const path = `${server.path}/actions/runners/jobs`
  const answer = await api.rest(server.root, { operation: 'poll', method: 'GET', path, signal })
  return { entries: plainList(answer, 'jobs', readForgejoJob), isWhole: true }
}

function plainList<Entry>(answer: Answer, what: string, read: (value: unknown) => Entry | undefined): readonly Entry[] {
  const value = jsonOf(answer, `the list of ${what}`)
  const list = value === null ? [] : value
  const entries = Array.isArray(list) ? list.map(read) : [undefined]
  const known = entries.filter((entry) => entry !== undefined)
  if (known.length < entries.length) throw badAnswer(`the list of ${what} has another form`)
  return known
}
