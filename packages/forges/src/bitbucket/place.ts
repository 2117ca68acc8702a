// A workspace or a repository by its URL, and the addresses of its runners (docs/reference/bitbucket.md#s2-1).
import { bitbucketError } from './errors.ts'

export type Place = {
  /** The URL in one form, for example `https://bitbucket.org/acme/app`. */
  readonly url: string
  readonly apiOrigin: string
  /** The server that issues OAuth tokens. */
  readonly tokenOrigin: string
  /** Slugs, or UUIDs in braces. */
  readonly workspace: string
  readonly repository: string | undefined
}

/** The UUIDs of a place, with braces. */
export type Identity = { readonly workspace: string; readonly repository: string | undefined }

/** Throws a `PortError` of kind `bad-config`. Sends no request. */
export function parsePlace(text: string): Place {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const names = (url?.pathname ?? '').split('/').filter(Boolean).map(decode)
  const [workspace, repository] = names
  const isName = (name: string) => /^(?:[\w.-]{1,128}|\{[0-9a-fA-F-]{36}\})$/.test(name)
  const isPlain = url !== undefined && url.search === '' && url.hash === '' && url.username === ''
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname !== 'bitbucket.org')
  if (!url || !isPlain || !isHttp || workspace === undefined || names.length > 2 || !names.every(isName)) {
    const next = 'Use https://bitbucket.org/WORKSPACE or https://bitbucket.org/WORKSPACE/REPOSITORY.'
    throw bitbucketError('bad-config', `${text.slice(0, 200)} is not the URL of a workspace or a repository. ${next}`)
  }
  const isCloud = url.hostname === 'bitbucket.org' || url.hostname === 'api.bitbucket.org'
  return {
    url: `${isCloud ? 'https://bitbucket.org' : url.origin}/${names.join('/')}`,
    apiOrigin: isCloud ? 'https://api.bitbucket.org' : url.origin,
    tokenOrigin: isCloud ? 'https://bitbucket.org' : url.origin,
    workspace,
    repository,
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function workspacePath({ workspace }: Place): string {
  return `/2.0/workspaces/${encodeURIComponent(workspace)}`
}

export function repositoryPath({ workspace, repository = '' }: Place): string {
  return `/2.0/repositories/${encodeURIComponent(workspace)}/${encodeURIComponent(repository)}`
}

export function runnersPath(place: Place): string {
  const path = place.repository === undefined ? workspacePath(place) : repositoryPath(place)
  return `${path}/pipelines-config/runners`
}

/** Returns the path at the undocumented API, which the vendor's autoscaler calls with UUIDs. */
export function internalRunnersPath({ workspace, repository }: Identity): string {
  const kind = repository === undefined ? 'workspaces' : 'repositories'
  const names = [workspace, ...(repository === undefined ? [] : [repository])].map(encodeURIComponent)
  return `/internal/${kind}/${names.join('/')}/pipelines-config/runners`
}
