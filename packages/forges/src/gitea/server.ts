// Finds out the meaning of a URL at its server: where the server's own address ends, which level the rest names, and which dialect it speaks.
import { textAt } from '@dayfly/kit/read-json'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { GiteaApi } from './api.ts'
import { type Dialect, dialectOf } from './dialect.ts'
import { giteaError } from './errors.ts'
import { type GivenPlace, type Level, levelPath } from './place.ts'

export type Server = {
  /** The path of the server's own address: empty, or for example `/git`. */
  readonly root: string
  readonly dialect: Dialect
  readonly level: Level
  /** The beginning of the paths of the level, below `/api/v1`. */
  readonly path: string
}

/** Rejects with `bad-config` if no Gitea is there, or one that is too old. */
export async function findServer(api: GiteaApi, place: GivenPlace, signal?: AbortSignal): Promise<Server> {
  const { names } = place
  // The rest of the path names at most an owner and a repository.
  for (let length = Math.max(0, names.length - 2); length <= names.length; length++) {
    const root = names.slice(0, length).map((name) => `/${encodeURIComponent(name)}`)
    const dialect = await dialectAt(api, root.join(''), signal)
    if (!dialect) continue
    const level = await levelOf(api, root.join(''), names.slice(length), signal)
    if (level.is !== 'repository' && dialect.jobs === 'every') await readRepositories(api, root.join(''), signal)
    return { root: root.join(''), dialect, level, path: levelPath(level) }
  }
  const next = 'Check the URL. The address of the server itself must be its beginning.'
  throw giteaError('bad-config', `No Gitea answers at ${place.url}. ${next}`)
}

/** Returns undefined if something else answers, or nothing. */
async function dialectAt(api: GiteaApi, root: string, signal?: AbortSignal): Promise<Dialect | undefined> {
  try {
    const { body } = await api.rest(root, { operation: 'find-account', method: 'GET', path: '/version', signal })
    const version = body.kind === 'json' ? textAt(body.value, 'version') : undefined
    return version === undefined ? undefined : dialectOf(version)
  } catch (error) {
    if (error instanceof PortError && error.kind === 'not-found') return undefined
    throw error
  }
}

/** A token that may not read repositories would stop the set when its first job ends, because that is read at the job's repository. */
async function readRepositories(api: GiteaApi, root: string, signal?: AbortSignal): Promise<void> {
  await api.rest(root, { operation: 'find-account', method: 'GET', path: '/repos/search', search: 'limit=1', signal })
}

/** A user and an organization never share a name. The token of a user knows its own. */
async function levelOf(
  api: GiteaApi,
  root: string,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Level> {
  const [owner, name] = names
  if (owner === undefined) return { is: 'server' }
  if (name !== undefined) return { is: 'repository', owner, name }
  const isOwn = (await ownName(api, root, signal))?.toLowerCase() === owner.toLowerCase()
  return { is: isOwn ? 'user' : 'organization', name: owner }
}

/** Returns undefined for a token without a scope for users. */
async function ownName(api: GiteaApi, root: string, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const { body } = await api.rest(root, { operation: 'find-account', method: 'GET', path: '/user', signal })
    return body.kind === 'json' ? textAt(body.value, 'login') : undefined
  } catch (error) {
    // 401 is a token that nobody knows, and 403 one without the scope.
    if (error instanceof PortError && error.details['status'] === 403) return undefined
    throw error
  }
}
