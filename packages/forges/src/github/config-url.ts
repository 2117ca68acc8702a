// Reads the URL of an organization, repository or enterprise, and derives the address of its API
// (docs/reference/scale-set-protocol.md#s2).
import { githubError } from './calls/errors.ts'
import { correctedUrl } from './corrected-url.ts'

export type ConfigUrl = {
  readonly scope: 'organization' | 'repository' | 'enterprise'
  /** Scheme, host and path, without a trailing slash. Sent to the forge in this form. */
  readonly url: string
  /** True for github.com and ghe.com; any other host is a GitHub Enterprise Server. */
  readonly hosted: boolean
  readonly apiOrigin: string
  /** The prefix of every path of the API: empty, or `/api/v3` on a GitHub Enterprise Server. */
  readonly apiPath: string
  /** The scope's path within the API, for example `/orgs/acme`. */
  readonly scopePath: string
}

export type ConfigUrlOptions = {
  /** Treats every host as a GitHub Enterprise Server (GITHUB_ACTIONS_FORCE_GHES). */
  readonly forceServer?: boolean
}

/** Throws a `PortError` of kind `bad-config` for anything that is not the URL of an organization, repository or enterprise. */
export function parseConfigUrl(text: string, options: ConfigUrlOptions = {}): ConfigUrl {
  const better = correctedUrl(text.trim())
  if (better !== undefined)
    throw badUrl(`it is not that of an organization, a repository or an enterprise. Write ${better}`)
  const trimmed = text.replace(/^\/+|\/+$/g, '')
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw badUrl('it must begin with https:// (or http:// for a server on this machine)')
  }
  if (url.username || url.password) throw badUrl('it must not carry a user name or password')
  if (url.search || url.hash) throw badUrl('it must not carry a query or a fragment')
  const path = url.pathname.replace(/^\/+|\/+$/g, '')
  const parts = path.split('/')
  if (parts.length > 2 || parts.some((part) => part === '')) {
    throw badUrl('it must point to an organization, a repository or an enterprise')
  }
  const [first = '', second] = parts
  const hosted = !options.forceServer && isHosted(url.host)
  const api = hosted
    ? { apiOrigin: `${url.protocol}//api.${url.host.replace(/^www\./, '')}`, apiPath: '' }
    : { apiOrigin: url.origin, apiPath: '/api/v3' }
  return { ...scopeOf(first, second), ...api, hosted, url: `${url.origin}/${path}` }
}

function scopeOf(first: string, second: string | undefined): Pick<ConfigUrl, 'scope' | 'scopePath'> {
  if (second === undefined) return { scope: 'organization', scopePath: `/orgs/${first}` }
  if (first.toLowerCase() === 'enterprises') return { scope: 'enterprise', scopePath: `/enterprises/${second}` }
  return { scope: 'repository', scopePath: `/repos/${first}/${second}` }
}

/** Compares the host with its port, so `github.localhost:8080` is a GitHub Enterprise Server. */
function isHosted(host: string): boolean {
  return ['github.com', 'www.github.com', 'github.localhost'].includes(host) || host.endsWith('.ghe.com')
}

/** Does not repeat the text: it may contain a password. */
function badUrl(why: string): Error {
  const example = why.includes(' Write ') ? '' : ', for example https://github.com/acme'
  return githubError('bad-url', `The GitHub URL cannot be used: ${why}${example}.`)
}
