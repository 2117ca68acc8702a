// Reads the URL of an organization, repository or enterprise, and says where its API answers (scale-set protocol 2).
import { githubError } from './errors.ts'

export type ConfigUrl = {
  readonly scope: 'organization' | 'repository' | 'enterprise'
  /** As it is sent to the forge: scheme, host and path, without a trailing slash. */
  readonly url: string
  /** github.com and ghe.com; everything else is a GitHub Enterprise Server. */
  readonly hosted: boolean
  readonly apiOrigin: string
  /** The API's path before every path of its own: empty, or `/api/v3` on a GitHub Enterprise Server. */
  readonly apiPath: string
  /** The scope's own path within the API, for example `/orgs/acme`. */
  readonly scopePath: string
}

export type ConfigUrlOptions = {
  /** Treat every host as a GitHub Enterprise Server (GITHUB_ACTIONS_FORCE_GHES). */
  readonly forceServer?: boolean
}

/** Throws a `PortError` of kind `bad-config` for anything that is not the URL of an organization, repository or enterprise. */
export function parseConfigUrl(text: string, options: ConfigUrlOptions = {}): ConfigUrl {
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

/** On the host with its port, so that `github.localhost:8080` is a server of its own. */
function isHosted(host: string): boolean {
  return ['github.com', 'www.github.com', 'github.localhost'].includes(host) || host.endsWith('.ghe.com')
}

/** The text itself is not repeated: it may hold a password. */
function badUrl(why: string): Error {
  return githubError('bad-url', `The GitHub URL cannot be used: ${why}, for example https://github.com/acme.`)
}
