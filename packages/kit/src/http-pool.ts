// The connections of an HTTP client: an agent of Node for each scheme, one TLS context for all, and the requests that are under way.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { Dial } from './dial.ts'

export type PoolOptions = {
  /** The options of both agents, without certificates: those are in the context. */
  readonly agent: AgentOptions
  /** Returns the context of all connections. The first https request calls it. */
  readonly context: () => SecureContext
  readonly dial: Dial | undefined
}

export interface Pool {
  open(origin: string, more: RequestOptions & { readonly headers: Readonly<Record<string, string>> }): ClientRequest
  /** Calls `late` when the connection times out, until the next call for the same connection. */
  onTimeout(socket: Socket, late: (() => void) | undefined): void
  /** Ends the requests under way, because an agent alone cannot, and closes every connection. */
  close(): void
}

/** A server as Node's request wants it. */
type Address = {
  readonly secure: boolean
  readonly where: RequestOptions
  readonly line: ReturnType<Dial['line']>
}

/** Number of servers whose parsed address is kept. */
const addressesMax = 100

/** All requests of this agent have the same options, so that host and port name their connections. Node's own name has every certificate in it. */
class SecureAgent extends HttpsAgent {
  override getName({ host, port }: RequestOptions = {}): string {
    return `${host}:${port}`
  }
}

/** Returns the name that TLS sends: a server's name, but never an IP address. Node would find it again for each request. */
function servernameOf(host: string): string {
  return isIP(host) ? '' : host
}

export function createPool({ agent, context, dial }: PoolOptions): Pool {
  const http = new HttpAgent(agent)
  if (dial) Object.assign(http, { createConnection: dial.plain })
  let https: HttpsAgent | undefined
  const secureAgent = () => {
    https ??= new SecureAgent({ ...agent, secureContext: context() })
    if (dial) Object.assign(https, { createConnection: dial.secure })
    return https
  }
  const addresses = new Map<string, Address>()
  const addressOf = (origin: string): Address => {
    const known = addresses.get(origin)
    if (known) return known
    if (addresses.size >= addressesMax) addresses.clear()
    const { protocol, hostname, port, auth } = urlToHttpOptions(new URL(origin))
    const where = { protocol, hostname, port, servername: servernameOf(hostname ?? ''), ...(auth ? { auth } : {}) }
    const address = { secure: protocol === 'https:', where, line: dial?.line(origin) }
    addresses.set(origin, address)
    return address
  }
  const underWay = new Set<ClientRequest>()
  const late = new WeakMap<Socket, (() => void) | undefined>()
  return {
    open: (origin, more) => {
      const { secure, where, line } = addressOf(origin)
      const whole = line && { path: `${line.prefix}${more.path}`, headers: { ...more.headers, ...line.headers } }
      const outgoing = secure
        ? httpsRequest({ ...where, ...more, agent: secureAgent() })
        : httpRequest({ ...where, ...more, ...whole, agent: http })
      underWay.add(outgoing)
      return outgoing.on('close', () => underWay.delete(outgoing))
    },
    onTimeout: (socket, call) => {
      if (!late.has(socket)) socket.on('timeout', () => late.get(socket)?.())
      late.set(socket, call)
    },
    close: () => {
      for (const outgoing of underWay) outgoing.destroy(new Error('the client was closed'))
      http.destroy()
      https?.destroy()
    },
  }
}
