// The client for servers outside the cluster: an HTTP client with an optional proxy and private certificate authorities.
import type { SecureContext } from 'node:tls'
import { createDial, proxyAsksForCredential } from './dial.ts'
import type { Transport } from './http.ts'
import { type HttpClient, httpClient } from './http-client.ts'
import type { ProxyChoice } from './proxy.ts'

export type OutboundOptions = {
  readonly proxy?: ProxyChoice | undefined
  /** Trusted instead of the default roots: see trust.ts. */
  readonly trust?: SecureContext | undefined
  /** The maximum number of connections to one server for whole answers. */
  readonly connections: number
  /** The maximum size of all answers of one server that are read at the same time, in bytes. */
  readonly bytesMax?: number
}

export function outboundClient({ proxy, trust, connections, bytesMax }: OutboundOptions): HttpClient {
  const bounds = { connections, ...(bytesMax === undefined ? {} : { bytesMax }) }
  if (!proxy && !trust) return httpClient(bounds)
  const dial = createDial({ proxy, trust })
  const client = httpClient({ ...bounds, dial })
  const transport: Transport = async (request) => {
    const answer = await client.transport(request)
    const url = answer.status === 407 && request.origin ? new URL(request.origin) : undefined
    const server = url?.protocol === 'http:' ? proxy?.(url) : undefined
    if (server) throw proxyAsksForCredential(server)
    return answer
  }
  return {
    transport,
    close: async () => {
      dial.close()
      await client.close()
    },
  }
}
