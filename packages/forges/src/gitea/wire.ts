// Reads runners and jobs as Gitea and Forgejo send them (docs/reference/gitea.md#s3-2).
import type { Instant } from '@dayfly/kit/clock'
import { isJsonObject, listAt, numberAt, textAt, textsAt, timeAt, valueAt } from '@dayfly/kit/read-json'

export type ListedRunner = {
  readonly id: string
  readonly name: string
  readonly labels: readonly string[]
  /** Whether it called the server in the last minute. */
  readonly isOnline: boolean
  /** Whether it works, as far as the list knows; undefined if it does not. Only Forgejo's list knows. */
  readonly isActive?: boolean
  readonly isCordoned: boolean
}

export type ListedJob = {
  readonly id: string
  readonly name: string
  /** Owner and name; empty if the server does not say. */
  readonly repository: string
  readonly labels: readonly string[]
  /** `ready`: it waits for a runner. `blocked`: it waits for something else. `ended`: see `conclusion`. */
  readonly state: 'ready' | 'blocked' | 'running' | 'ended'
  /** How it ended, in the words of `job-finished`; empty before that. */
  readonly conclusion: string
  /** The id of its runner; undefined before it has one, and where the list does not say. */
  readonly runnerId: string | undefined
  /** Empty before it has one. */
  readonly runnerName: string
  /** The server's times; undefined if it does not say. */
  readonly createdAt: Instant | undefined
  readonly startedAt: Instant | undefined
  /** As in the address of its page: before 1.26, that is a number within the repository and no id. */
  readonly run: string | undefined
  readonly branch: string | undefined
}

/** Returns undefined for a value that is no runner. */
export function readRunner(value: unknown): ListedRunner | undefined {
  const id = idAt(value, 'id')
  if (id === undefined) return undefined
  const status = textAt(value, 'status')
  const labels = listAt(value, 'labels').flatMap((label) => {
    const text = typeof label === 'string' ? label : textAt(label, 'name')
    return text === undefined ? [] : [text]
  })
  return {
    id,
    name: textAt(value, 'name') ?? '',
    labels,
    isOnline: status === 'online' || status === 'idle' || status === 'active',
    ...(status === 'active' ? { isActive: true } : {}),
    isCordoned: valueAt(value, 'disabled') === true,
  }
}

/** The words for waiting are swapped between the server and its API (docs/reference/gitea.md#s3-2). */
const states: Readonly<Record<string, ListedJob['state']>> = {
  queued: 'ready',
  waiting: 'blocked',
  in_progress: 'running',
  completed: 'ended',
}

/** Returns undefined for a value that is no job. */
export function readJob(value: unknown): ListedJob | undefined {
  const known = readKnown(value, states, 'labels')
  if (!known) return undefined
  const runnerId = idAt(value, 'runner_id')
  return {
    ...known,
    repository: /\/repos\/([^/]+\/[^/]+)\/actions\//.exec(textAt(value, 'url') ?? '')?.[1] ?? '',
    conclusion: conclusionOf(textAt(value, 'conclusion') ?? ''),
    runnerId: runnerId === '0' ? undefined : runnerId,
    runnerName: textAt(value, 'runner_name') ?? '',
    createdAt: setTimeAt(value, 'created_at'),
    startedAt: setTimeAt(value, 'started_at'),
    run: /\/actions\/runs\/(\d+)\b/.exec(textAt(value, 'html_url') ?? '')?.[1] ?? idAt(value, 'run_id'),
    branch: textAt(value, 'head_branch') || undefined,
  }
}

const conclusions: Readonly<Record<string, string>> = { success: 'succeeded', failure: 'failed', cancelled: 'canceled' }

function conclusionOf(word: string): string {
  return conclusions[word] ?? word
}

/** Forgejo's list of unfinished jobs has the server's own words, and no runner (docs/reference/gitea.md#s7). */
const forgejoStates: Readonly<Record<string, ListedJob['state']>> = {
  waiting: 'ready',
  blocked: 'blocked',
  running: 'running',
}

export function readForgejoJob(value: unknown): ListedJob | undefined {
  const known = readKnown(value, forgejoStates, 'runs_on')
  if (!known) return undefined
  return {
    ...known,
    repository: '',
    conclusion: '',
    runnerId: undefined,
    runnerName: '',
    createdAt: undefined,
    startedAt: undefined,
    run: undefined,
    branch: undefined,
  }
}

/** Returns what both lists have. @param labels the key of the labels */
function readKnown(
  value: unknown,
  words: Readonly<Record<string, ListedJob['state']>>,
  labels: string,
): Pick<ListedJob, 'id' | 'name' | 'labels' | 'state'> | undefined {
  const id = idAt(value, 'id')
  const state = words[textAt(value, 'status') ?? '']
  if (id === undefined || state === undefined) return undefined
  return { id, name: textAt(value, 'name') ?? '', labels: textsAt(value, labels), state }
}

export type Page<Entry> = { readonly entries: readonly Entry[]; readonly total: number }

/** Returns undefined unless the value is a page of which every entry can be read. */
export function readPage<Entry>(
  value: unknown,
  key: string,
  read: (entry: unknown) => Entry | undefined,
): Page<Entry> | undefined {
  const list = isJsonObject(value) ? value[key] : undefined
  const total = numberAt(value, 'total_count')
  // A server without any entry may send null for the list.
  const given = list === null && total === 0 ? [] : list
  if (!Array.isArray(given) || total === undefined) return undefined
  const entries = given.map(read)
  const known = entries.filter((entry) => entry !== undefined)
  return known.length < entries.length ? undefined : { entries: known, total }
}

/** Ids are numbers in REST, and texts in the API of the runners. */
export function idAt(value: unknown, ...path: readonly string[]): string | undefined {
  const id = valueAt(value, ...path)
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : undefined
}

/** A time that is not set is the beginning of 1970. */
function setTimeAt(value: unknown, key: string): Instant | undefined {
  const at = timeAt(value, key)
  return at !== undefined && at > 0 ? at : undefined
}
