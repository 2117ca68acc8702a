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
  const transport = limited(connections, async (request) => {
    const answer = await client.transport(request)
    const url = answer.status === 407 && request.origin ? new URL(request.origin) : undefined
    const server = url?.protocol === 'http:' ? proxy?.(url) : undefined
    if (server) throw proxyAsksForCredential(server)
    return answer
  })
  return {
    transport,
    close: async () => {
      dial.close()
      await client.close()
    },
  }
}

/** An agent of Node.js does not count tunnels that are still opening, so the bound is kept here. Streams have no bound. */
function limited(most: number, transport: Transport): Transport {
  const waiting: (() => void)[] = []
  let busy = 0
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else busy--
  }
  const enter = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      if (busy < most) {
        busy++
        return resolve()
      }
      const go = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal?.reason)
      }
      waiting.push(go)
      signal?.addEventListener('abort', stop, { once: true })
    })
  return async (request) => {
    if (request.expect !== 'whole') return transport(request)
    request.signal?.throwIfAborted()
    await enter(request.signal)
    return transport(request).finally(leave)
  }
}
