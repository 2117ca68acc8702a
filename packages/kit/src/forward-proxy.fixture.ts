// A small forward proxy for tests: tunnels (CONNECT) and plain requests, Basic authentication, latency, and a limit on silence.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { systemClock } from './system.ts'

export type ForwardProxyOptions = {
  /** Requires this user name and password. */
  readonly credential?: { readonly username: string; readonly password: string }
  /** Serves the proxy itself over TLS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Cuts a tunnel without traffic for this time, in milliseconds. */
  readonly idleMs?: number
  /** Delays each new tunnel and each request, in milliseconds. */
  readonly latencyMs?: number
  /** Answers instead of the server: the status for this target; undefined passes the request on. */
  readonly refuse?: (target: string) => number | undefined
}

export type ForwardProxy = {
  readonly url: string
  /** The targets that the proxy passed on: `HOST:PORT` of a tunnel, the whole URL of a plain request. */
  readonly passed: string[]
  /** The targets of requests without the right credential. */
  readonly refused: string[]
  /** How many tunnels the proxy has cut because they were silent. */
  cuts(): number
  close(): Promise<void>
}

/** Listens on 127.0.0.1. */
export async function forwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const passed: string[] = []
  const refused: string[] = []
  const sockets = new Set<Socket>()
  const clock = systemClock()
  let cuts = 0
  const server = options.tls ? createSecureServer(options.tls) : createServer()
  const statusFor = async (incoming: IncomingMessage): Promise<number> => {
    const target = incoming.url ?? ''
    await clock.sleep(options.latencyMs ?? 0)
    if (!isAuthorized(incoming, options)) {
      refused.push(target)
      return 407
    }
    const status = options.refuse?.(target)
    if (status === undefined) passed.push(target)
    return status ?? 200
  }
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  server.on('connect', async (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => {})
    const status = await statusFor(incoming)
    if (status !== 200) return void client.end(refusal(status))
    const [, host = '', port] = /^(.*):(\d+)$/.exec(incoming.url ?? '') ?? []
    const upstream = connect(Number(port), host)
    upstream.on('error', () => client.destroy())
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    upstream.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(client)
      client.pipe(upstream)
    })
    if (options.idleMs === undefined) return
    upstream.setTimeout(options.idleMs, () => {
      cuts++
      client.destroy()
    })
  })
  server.on('request', async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const status = await statusFor(incoming)
    if (status !== 200) return void outgoing.writeHead(status, { 'proxy-authenticate': 'Basic' }).end('no')
    passOn(incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    passed,
    refused,
    cuts: () => cuts,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function isAuthorized({ headers }: IncomingMessage, { credential }: ForwardProxyOptions): boolean {
  if (!credential) return true
  const expected = Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
  return headers['proxy-authorization'] === `Basic ${expected}`
}

function refusal(status: number): string {
  const more = status === 407 ? 'Proxy-Authenticate: Basic realm="proxy"\r\n' : ''
  return `HTTP/1.1 ${status} Refused\r\n${more}Content-Length: 0\r\n\r\n`
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { 'proxy-authorization': _, ...headers } = incoming.headers
  const upstream = request(incoming.url ?? '', { method: incoming.method ?? 'GET', headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  upstream.on('error', () => outgoing.writeHead(502).end())
  outgoing.on('close', () => upstream.destroy())
  incoming.pipe(upstream)
}
