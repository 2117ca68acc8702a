// One request over HTTP/1.1, on a connection of a pool.
import type { IncomingMessage } from 'node:http'
import type { Request } from './http.ts'
import {
  bodyTimeoutMs,
  connectTimeoutMs,
  encodeBody,
  type Incoming,
  joinedHeaders,
  keepAliveProbeMs,
  lateError,
  pathOf,
} from './http-exchange.ts'
import type { Pool } from './http-pool.ts'

type Options = { readonly origin: string; readonly pool: Pool; readonly headersTimeoutMs: number }

/** Sends the request and resolves with the head of the answer. */
export function exchangeHttp1(request: Request, { origin, pool, headersTimeoutMs }: Options): Promise<Incoming> {
  const { method, signal, expect } = request
  const { headers, text } = encodeBody(request)
  const path = pathOf(request)
  return new Promise((resolve, reject) => {
    const outgoing = pool.open(origin, { method, path, headers })
    let response: IncomingMessage | undefined
    outgoing.on('error', reject).on('socket', (socket) => {
      let connecting = socket.connecting
      pool.onTimeout(socket, () => (response ?? outgoing).destroy(lateError(connecting)))
      outgoing.on('close', () => pool.onTimeout(socket, undefined))
      socket.setTimeout(connecting ? connectTimeoutMs : headersTimeoutMs)
      if (!connecting) return
      socket.setKeepAlive(true, keepAliveProbeMs)
      socket.once(origin.startsWith('https:') ? 'secureConnect' : 'connect', () => {
        connecting = false
        socket.setTimeout(headersTimeoutMs)
      })
    })
    outgoing.on('response', (incoming) => {
      response = incoming
      incoming.socket.setTimeout(expect === 'whole' ? bodyTimeoutMs : 0)
      const status = incoming.statusCode ?? 0
      resolve({ status, headers: joinedHeaders(incoming.headers), body: incoming, cut: () => false })
    })
    if (signal) {
      // The option signal of Node's request does the same at several times the cost.
      const stop = () => outgoing.destroy(new Error('aborted'))
      signal.addEventListener('abort', stop, { once: true })
      outgoing.on('close', () => signal.removeEventListener('abort', stop))
    }
    outgoing.end(text)
  })
}
