// A server, an organization, a user or a repository by its URL, and the addresses of its runners (docs/reference/gitea.md#s3-1).
import { giteaError } from './errors.ts'

/** The URL alone. It does not say which part of its path is the server's own, nor who is an organization. */
export type GivenPlace = {
  /** The URL in one form, for example `https://gitea.example.com/acme/app`. */
  readonly url: string
  readonly origin: string
  /** The parts of the path, decoded. */
  readonly names: readonly string[]
}

/** A level of runners: those of the whole server, an organization, a user or a repository. */
export type Level =
  | { readonly is: 'server' }
  | { readonly is: 'organization'; readonly name: string }
  | { readonly is: 'user'; readonly name: string }
  | { readonly is: 'repository'; readonly owner: string; readonly name: string }

const namesMax = 6

/** Throws a `PortError` of kind `bad-config`. Sends no request. */
export function parsePlace(text: string): GivenPlace {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const names = (url?.pathname ?? '').split('/').filter(Boolean).map(decode)
  const isPlain = url !== undefined && url.search === '' && url.hash === '' && url.username === ''
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isPlain || !isHttp || names.length > namesMax || !names.every((name) => /^[\w.-]{1,128}$/.test(name))) {
    const next = 'Use https://SERVER, https://SERVER/ORGANIZATION, or https://SERVER/OWNER/REPOSITORY.'
    throw giteaError('bad-config', `${text.slice(0, 200)} is not the URL of a Gitea or of a place on it. ${next}`)
  }
  return { url: [url.origin, ...names].join('/'), origin: url.origin, names }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the beginning of the paths of a level, below `/api/v1`. */
export function levelPath(level: Level): string {
  switch (level.is) {
    case 'server':
      return '/admin'
    case 'organization':
      return `/orgs/${encodeURIComponent(level.name)}`
    case 'user':
      return '/user'
    case 'repository':
      return `/repos/${encodeURIComponent(level.owner)}/${encodeURIComponent(level.name)}`
  }
}
