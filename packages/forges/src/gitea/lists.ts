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
/** Entries move between pages while a list is read. It is read so often until every entry was seen. */
const readsMax = 10

/** Returns the runners of the level. The server sorts them by their last call, so they move all the time. */
export function listRunners(api: GiteaApi, server: Server, signal?: AbortSignal): Promise<readonly ListedRunner[]> {
  const path = '/actions/runners'
  const operation = 'list-registrations'
  const readPageOf =
    server.dialect.jobs === 'every'
      ? countedPages(api, server, { path, search: '', key: 'runners', read: readRunner, operation, signal })
      : plainPages(api, server, { path, key: 'runners', read: readRunner, operation, signal })
  return listWhole('runners', readPageOf)
}

/** Returns the jobs that wait or run. One that moved between two pages may be missing. */
export async function listUnfinished(
  api: GiteaApi,
  server: Server,
  signal?: AbortSignal,
): Promise<readonly ListedJob[]> {
  if (server.dialect.jobs === 'unfinished') return forgejoJobs(api, server, signal)
  const list = {
    path: '/actions/jobs',
    search: 'status=queued&status=in_progress',
    key: 'jobs',
    read: readJob,
  } as const
  return (await readOnce(countedPages(api, server, { ...list, operation: 'poll', signal }), new Map())).entries
}

/** Returns every running job, and perhaps one that has just ended. */
export async function listRunning(api: GiteaApi, server: Server, signal?: AbortSignal): Promise<readonly ListedJob[]> {
  if (server.dialect.jobs === 'unfinished') return forgejoJobs(api, server, signal)
  const list = { path: '/actions/jobs', search: 'status=in_progress', key: 'jobs', read: readJob } as const
  return listWhole('jobs', countedPages(api, server, { ...list, operation: 'poll', signal }))
}

/** Returns one page of the jobs that are over, the oldest ones on the first. Only a server with the list of every job has it. */
export function endedJobs(
  api: GiteaApi,
  server: Server,
  page: number,
  signal: AbortSignal | undefined,
): Promise<Page<ListedJob>> {
  const list = { path: '/actions/jobs', search: 'status=completed', key: 'jobs', read: readJob } as const
  return countedPages(api, server, { ...list, operation: 'poll', signal })(page)
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
  readonly key: string
  readonly read: (value: unknown) => Entry | undefined
  readonly operation: 'poll' | 'list-registrations'
  readonly signal: AbortSignal | undefined
}

/** Reads one page. The first is 1. */
type ReadPage<Entry> = (page: number) => Promise<Page<Entry>>

/**
 * Reads the list again until every entry was seen: one that moved to a page that was read before is on another page then. The count proves
 * nothing while the list becomes shorter, because entries that have left it were seen in place of others. Then the next read decides.
 */
async function listWhole<Entry extends { readonly id: string }>(
  what: string,
  readPageOf: ReadPage<Entry>,
): Promise<readonly Entry[]> {
  const seen = new Map<string, Entry>()
  let shrankIn: number | undefined
  let length = 0
  for (let reads = 1; reads <= readsMax; reads++) {
    const { total } = await readOnce(async (page) => {
      const read = await readPageOf(page)
      if (read.total < length) shrankIn ??= reads
      length = read.total
      return read
    }, seen)
    if (seen.size >= total && shrankIn !== reads) return [...seen.values()]
  }
  throw badAnswer(`the list of ${what} changed while it was read, ${readsMax} times`)
}

/** Adds every page to the entries that were seen. The server may send shorter pages than asked, so only its total shows the end. */
async function readOnce<Entry extends { readonly id: string }>(
  readPageOf: ReadPage<Entry>,
  seen: Map<string, Entry>,
): Promise<Page<Entry>> {
  let count = 0
  for (let page = 1; page <= pagesMax; page++) {
    const { entries, total } = await readPageOf(page)
    for (const entry of entries) seen.set(entry.id, entry)
    count += entries.length
    if (count >= total || entries.length === 0) return { entries: [...seen.values()], total }
  }
  throw badAnswer(`a list has more than ${pagesMax} pages`)
}

function countedPages<Entry>(
  api: GiteaApi,
  { root, path: level }: Server,
  { path, search, key, read, operation, signal }: List<Entry> & { readonly search: string },
): ReadPage<Entry> {
  return async (page) => {
    const query = `${search === '' ? '' : `${search}&`}limit=${pageLength}&page=${page}`
    const answer = await api.rest(root, { operation, method: 'GET', path: `${level}${path}`, search: query, signal })
    const found = readPage(jsonOf(answer, `the list of ${key}`), key, read)
    if (found) return found
    throw badAnswer(`the list of ${key} has another form`)
  }
}

/** Forgejo's lists are plain, and a header has the total. */
function plainPages<Entry>(
  api: GiteaApi,
  { root, path: level }: Server,
  { path, key, read, operation, signal }: List<Entry>,
): ReadPage<Entry> {
  return async (page) => {
    const search = `limit=${pageLength}&page=${page}`
    const answer = await api.rest(root, { operation, method: 'GET', path: `${level}${path}`, search, signal })
    const entries = plainList(answer, key, read)
    return { entries, total: Number(answer.headers['x-total-count'] ?? entries.length) }
  }
}

/** Forgejo sends all unfinished jobs at once, and null if there is none (docs/reference/gitea.md#s7). */
async function forgejoJobs(api: GiteaApi, server: Server, signal?: AbortSignal): Promise<readonly ListedJob[]> {
  const path = `${server.path}/actions/runners/jobs`
  return plainList(
    await api.rest(server.root, { operation: 'poll', method: 'GET', path, signal }),
    'jobs',
    readForgejoJob,
  )
}

function plainList<Entry>(answer: Answer, what: string, read: (value: unknown) => Entry | undefined): readonly Entry[] {
  const value = jsonOf(answer, `the list of ${what}`)
  const list = value === null ? [] : value
  const entries = Array.isArray(list) ? list.map(read) : [undefined]
  const known = entries.filter((entry) => entry !== undefined)
  if (known.length < entries.length) throw badAnswer(`the list of ${what} has another form`)
  return known
}
