// Chooses the forward proxy of a request: one that the configuration names, or the one of the process's environment.
import { bypassOf, isLoopback } from './no-proxy.ts'
import { SettingError } from './setting-error.ts'

export type ProxyServer = {
  /** Whether the connection to the proxy itself uses TLS. */
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** The value of the header `Proxy-Authorization`; undefined without a user name. */
  readonly authorization: string | undefined
  /** The proxy's address without its credential, for messages. */
  readonly name: string
}

/** Returns the proxy for a server; undefined for a direct connection. */
export type ProxyChoice = (target: URL) => ProxyServer | undefined

export type ProxySettings = {
  /** `http://proxy:3128`, or `https:` for a connection to the proxy over TLS. */
  readonly url: string
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** The servers to reach without the proxy, as in NO_PROXY. */
  readonly noProxy: readonly string[]
}

/** Uses one proxy for every server that `noProxy` does not name. Throws a `SettingError` for an address that is not a proxy's. */
export function configuredProxy({ url, username, password, noProxy }: ProxySettings): ProxyChoice {
  const server = readProxy(url, username === undefined ? undefined : { username, password: password ?? '' })
  const bypasses = bypassOf(noProxy)
  return (target) => (bypasses(target) ? undefined : server)
}

/**
 * Uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY in either case; lower case wins, as in curl. This machine is always reached directly.
 * Throws a `SettingError` for an address that is not a proxy's.
 */
export function environmentProxy(environment: Readonly<Record<string, string | undefined>>): ProxyChoice {
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined
  const server = (name: string) => {
    const url = read(name)
    return url === undefined
      ? undefined
      : named(name, () => readProxy(/^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `http://${url}`))
  }
  const secure = server('https_proxy')
  const plain = server('http_proxy')
  const bypasses = bypassOf((read('no_proxy') ?? '').split(','))
  return (target) => {
    if (isLoopback(target) || bypasses(target)) return undefined
    return target.protocol === 'https:' ? secure : plain
  }
}

/** The address may carry a user name and a password, percent-encoded. A credential of its own comes first. */
function readProxy(text: string, own?: { readonly username: string; readonly password: string }): ProxyServer {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new SettingError('is not the address of a proxy; it must look like http://proxy.example.com:3128')
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new SettingError('must be an address alone, without a path, a query or a fragment')
  }
  const credential = own ?? inUrl(url)
  if (credential.username.includes(':') || /[\r\n]/.test(`${credential.username}${credential.password}`)) {
    throw new SettingError('has a user name or a password with a character that HTTP cannot send')
  }
  const { username, password } = credential
  const secure = url.protocol === 'https:'
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 443 : 80),
    authorization:
      username === '' ? undefined : `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`,
    name: url.origin,
  }
}

function inUrl(url: URL): { readonly username: string; readonly password: string } {
  try {
    return { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
  } catch (cause) {
    throw new SettingError('has a user name or a password that is not percent-encoded correctly', cause)
  }
}

function named<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    throw new SettingError(`${name.toUpperCase()} ${error.message}`, error)
  }
}
