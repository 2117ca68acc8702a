// The calls about runners: list, create, remove, and look up the place (docs/reference/bitbucket.md#s2-1).
import type { Instant } from '@dayfly/kit/clock'
import { textAt } from '@dayfly/kit/read-json'
import { Credential } from '@dayfly/runner-set/model/credential'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { BitbucketApi } from './api.ts'
import { badAnswer, bitbucketError } from './errors.ts'
import { type Identity, type Place, repositoryPath, runnersPath, workspacePath } from './place.ts'
import { type ListedRunner, readPage, readRunner } from './wire.ts'

/** A complete list of the account's runners. */
export type RosterView = {
  readonly at: Instant
  readonly runners: readonly ListedRunner[]
  /** The number of requests that the list took. */
  readonly pages: number
}

const pageLength = 100
const pagesMax = 100

/** Returns every runner of the place. Rejects if the list is not complete: its pages are counted, and may shift while they are read. */
export async function listRunners(api: BitbucketApi, place: Place): Promise<Omit<RosterView, 'at'>> {
  const call = { operation: 'list-registrations', kind: 'list', method: 'GET' } as const
  const runners = new Map<string, ListedRunner>()
  let entries = 0
  let size: number | undefined
  let path = runnersPath(place)
  let search = `pagelen=${pageLength}`
  for (let pages = 1; pages <= pagesMax; pages++) {
    const page = readPage(await api.call({ ...call, path, search }))
    if (!page) throw badAnswer('a page of the list of runners has another form')
    for (const runner of page.runners) runners.set(runner.id, runner)
    entries += page.runners.length
    // A runner that is removed meanwhile takes the place of one that moves to a page that was read before.
    if (size !== undefined && page.size !== size) throw badAnswer('the list of runners changed while it was read')
    size = page.size
    if (page.next === undefined) {
      const isWhole = runners.size === entries && (size ?? entries) === entries
      if (isWhole) return { runners: [...runners.values()], pages }
      throw badAnswer(`the list of runners changed while it was read (${runners.size} of ${size ?? entries})`)
    }
    const next = URL.canParse(page.next) ? new URL(page.next) : undefined
    if (next?.origin !== place.apiOrigin) throw badAnswer('the next page of the list is at another server')
    path = next.pathname
    search = next.search.slice(1)
  }
  throw badAnswer(`the list of runners has more than ${pagesMax} pages`)
}

export type Created = { readonly runner: ListedRunner; readonly credential: Credential }

/** Registers a runner. It exists at Bitbucket even if it never starts. The credential is the environment of its container. */
export async function createRunner(
  api: BitbucketApi,
  { place, identity }: { readonly place: Place; readonly identity: Identity },
  body: { readonly name: string; readonly labels: readonly string[] },
  signal: AbortSignal,
): Promise<Created> {
  const path = runnersPath(place)
  const value = await api.call({ operation: 'register', kind: 'register', method: 'POST', path, body, signal })
  const runner = readRunner(value)
  const [id, secret] = [textAt(value, 'oauth_client', 'id'), textAt(value, 'oauth_client', 'secret')]
  if (!runner) throw badAnswer(`the registration of ${body.name} has no UUID`)
  if (!id || !secret) throw badAnswer(`the registration of ${body.name} has no OAuth client with its secret`)
  const environment = {
    ACCOUNT_UUID: identity.workspace,
    ...(identity.repository === undefined ? {} : { REPOSITORY_UUID: identity.repository }),
    RUNNER_UUID: runner.id,
    OAUTH_CLIENT_ID: id,
    OAUTH_CLIENT_SECRET: secret,
  }
  return { runner: { ...runner, name: body.name }, credential: new Credential(environment) }
}

export async function deleteRunner(
  api: BitbucketApi,
  place: Place,
  id: string,
  signal?: AbortSignal,
): Promise<'removed' | 'absent'> {
  const path = `${runnersPath(place)}/${encodeURIComponent(id)}`
  try {
    await api.call({ operation: 'deregister', kind: 'other', method: 'DELETE', path, signal })
    return 'removed'
  } catch (error) {
    if (error instanceof PortError && error.kind === 'not-found') return 'absent'
    throw error
  }
}

/** Looks up the UUIDs of the place. Rejects with `bad-config` if Bitbucket does not know it. */
export async function findIdentity(api: BitbucketApi, place: Place, signal?: AbortSignal): Promise<Identity> {
  const uuidAt = async (path: string, what: string) => {
    try {
      const value = await api.call({ operation: 'find-account', kind: 'other', method: 'GET', path, signal })
      const uuid = textAt(value, 'uuid')
      if (uuid) return uuid
    } catch (error) {
      if (!(error instanceof PortError) || error.kind !== 'not-found') throw error
      const next = 'Check the URL, and that the credential reaches it.'
      throw bitbucketError('bad-config', `Bitbucket has no ${what} at ${place.url}. ${next}`)
    }
    throw badAnswer(`the ${what} has no UUID`)
  }
  const workspace = await uuidAt(workspacePath(place), 'workspace')
  if (place.repository === undefined) return { workspace, repository: undefined }
  return { workspace, repository: await uuidAt(repositoryPath(place), 'repository') }
}
