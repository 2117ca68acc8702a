// The HTTP server: reads requests as plain values and writes the answers, over node:http, by default on 127.0.0.1.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, isIPv6, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import {
  type Answer,
  type Body,
  type MessagesBody,
  type Method,
  noBody,
  parseBody,
  type Request,
  textAnswer,
} from './http.ts'
import { JoinedBytes } from './joined-bytes.ts'

export type HttpHandler = (request: Request) => Promise<Answer>

/** The connection of a request that asks for an upgrade. `head` is what the client has sent after the request. */
export type UpgradedConnection = {
  readonly incoming: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Turns a connection into a stream of messages. Resolves when the body has been served, or rejects with its error. */
export type Upgrade = (connection: UpgradedConnection, body: MessagesBody) => Promise<void>

export type HttpServerOptions = {
  /** Serves over TLS with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** The address to listen on. The default is 127.0.0.1. */
  readonly host?: string
  /** 0 (the default) takes a free port. */
  readonly port?: number
  /** The maximum size of a request body, in bytes. The server answers a larger one with 413. */
  readonly bytesMax?: number
  /** The answer to a body that is too large. */
  readonly tooLarge?: Answer
  /** The longest time of a request's head, of a whole request, and of a client that reads nothing. The default is 32, 60 and 60 s. */
  readonly limitsMs?: { readonly head: number; readonly request: number; readonly stall: number }
  /** Serves answers with messages. Without it, the server ignores that a client asks for an upgrade. */
  readonly upgrade?: Upgrade
  /** Receives the error of a handler that threw. The client gets a 500 without details. */
  readonly onError?: (error: unknown, request: Request) => void
}

export interface HttpServer {
  readonly port: number
  /** `http://HOST:PORT`, or `https:` with a certificate. */
  readonly origin: string
  /** Stops listening and closes every connection. */
  close(): Promise<void>
}

/** Serves `handler`. The request's signal is aborted when the client disconnects. Rejects if the port is taken. */
export async function httpServer(handler: HttpHandler, options: HttpServerOptions = {}): Promise<HttpServer> {
  const { head, request, stall } = limitsOf(options)
  const listener: RequestListener = (incoming, outgoing) => {
    outgoing.setTimeout(stall, () => stopStalled(incoming, outgoing))
    serve(handler, options, incoming, outgoing).catch(() => outgoing.destroy())
  }
  const connectionsCheckingInterval = Math.min(30_000, head)
  const settings = {
    keepAliveTimeout: 75_000,
    headersTimeout: head,
    requestTimeout: request,
    connectionsCheckingInterval,
  }
  const server = options.tls
    ? createSecureServer({ ...settings, ...options.tls }, listener)
    : createServer(settings, listener)
  const upgraded = new Set<Socket>()
  const { upgrade } = options
  if (upgrade) {
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      upgraded.add(socket)
      socket.on('close', () => upgraded.delete(socket))
      socket.on('error', () => {})
      serveUpgrade(handler, { ...options, upgrade }, { incoming, socket, head }).catch(() => socket.destroy())
    })
  }
  const host = options.host ?? '127.0.0.1'
  server.listen(options.port ?? 0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    for (const socket of upgraded) socket.destroy()
    await closed
  }
  return { port, origin: `${options.tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${port}`, close }
}

async function serve(
  handler: HttpHandler,
  options: HttpServerOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort(new Error('the client went away')))
  outgoing.on('error', () => {})
  const request = await readRequest(incoming, gone.signal, options.bytesMax ?? 3 * 1024 * 1024)
  if (!request) {
    const answer = options.tooLarge ?? textAnswer(413, 'the request is too large or was cut\n')
    await writeAnswer(outgoing, { ...answer, headers: { ...answer.headers, connection: 'close' } })
    return
  }
  await writeAnswer(outgoing, await answerOf(handler, options, request))
}

async function answerOf(handler: HttpHandler, options: HttpServerOptions, request: Request): Promise<Answer> {
  try {
    return await handler(request)
  } catch (error) {
    if (!request.signal?.aborted) options.onError?.(error, request)
    return textAnswer(500, 'internal error\n')
  }
}

/** Answers a request that asks for an upgrade. If the answer is no stream of messages, the connection ends with it. */
async function serveUpgrade(
  handler: HttpHandler,
  options: HttpServerOptions & { readonly upgrade: Upgrade },
  connection: UpgradedConnection,
): Promise<void> {
  const { incoming, socket } = connection
  const gone = new AbortController()
  socket.on('close', () => gone.abort(new Error('the client went away')))
  const request = requestOf(incoming, noBody, gone.signal)
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  // The parser of node:http stops after the head of such a request.
  const isAlone = length === '0' && coding === undefined
  const answer = isAlone
    ? await answerOf(handler, options, request)
    : textAnswer(400, 'a request that asks for an upgrade must not have a body\n')
  const { body } = answer
  if (body.kind === 'messages') {
    await options.upgrade(connection, body).catch((error) => options.onError?.(error, request))
    return
  }
  const outgoing = new ServerResponse(incoming)
  outgoing.assignSocket(socket)
  socket.setTimeout(limitsOf(options).stall)
  socket.on('timeout', () => stopStalled(incoming, outgoing))
  await writeAnswer(outgoing, { ...answer, headers: { ...answer.headers, connection: 'close' } })
  socket.destroySoon()
}

function limitsOf({ limitsMs }: HttpServerOptions): NonNullable<HttpServerOptions['limitsMs']> {
  return limitsMs ?? { head: 32_000, request: 60_000, stall: 60_000 }
}

/** Cuts a connection on which an answer waits for a client that reads nothing. A watch without events may be silent. */
function stopStalled({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  if (socket.writableLength > 0) cut(outgoing)
}

async function readRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
  bytesMax: number,
): Promise<Request | undefined> {
  const bytes = new JoinedBytes()
  try {
    for await (const chunk of incoming) {
      bytes.add(chunk as Buffer)
      if (bytes.size > bytesMax) return undefined
    }
  } catch {
    return undefined
  }
  const raw = bytes.take()
  const body = parseBody(raw, String(incoming.headers['content-type'] ?? ''))
  return requestOf(incoming, body.kind === 'json' ? { ...body, raw } : body, signal)
}

function requestOf(incoming: IncomingMessage, body: Body, signal: AbortSignal): Request {
  const [path = '/', search = ''] = splitOnce(incoming.url ?? '/', '?')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value)
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(search)) addTo(values, name, value)
  const query = Object.fromEntries([...values].map(([name, all]) => [name, all.at(-1) ?? '']))
  const repeated = Object.fromEntries([...values].filter(([, all]) => all.length > 1))
  const method = (incoming.method ?? 'GET') as Method
  return { method, path, query, repeated, headers, body, expect: 'whole', signal }
}

function addTo(values: Map<string, string[]>, name: string, value: string): void {
  const known = values.get(name)
  if (known) known.push(value)
  else values.set(name, [value])
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

async function writeAnswer(outgoing: ServerResponse, answer: Answer): Promise<void> {
  const { status, body } = answer
  const headers: Record<string, string> = { ...answer.headers }
  if (body.kind === 'none' || outgoing.destroyed) {
    outgoing.writeHead(status, headers).end()
  } else if (body.kind === 'messages') {
    outgoing.writeHead(400, headers).end('this connection cannot be upgraded\n')
  } else if (body.kind === 'events' || body.kind === 'bytes') {
    outgoing.writeHead(status, headers)
    outgoing.flushHeaders()
    await writeStream(outgoing, body)
  } else if (body.kind === 'cut' && body.text === '') {
    cut(outgoing)
  } else if (body.kind === 'cut') {
    outgoing.writeHead(status, { ...headers, 'transfer-encoding': 'chunked' })
    outgoing.write(body.text, () => cut(outgoing))
  } else {
    const text = body.kind === 'json' ? JSON.stringify(body.value) : body.text
    headers['content-type'] ??= body.kind === 'json' ? 'application/json' : 'text/plain; charset=utf-8'
    headers['content-length'] = String(Buffer.byteLength(text))
    outgoing.writeHead(status, headers).end(text)
  }
}

/** Writes a stream as fast as the client reads it. If the producer throws, it cuts the connection: the client must not take a part for the whole. */
async function writeStream(outgoing: ServerResponse, body: Extract<Body, { kind: 'events' | 'bytes' }>): Promise<void> {
  const items: AsyncIterable<unknown> = body.kind === 'events' ? body.items : body.chunks
  try {
    for await (const item of items) {
      if (outgoing.destroyed) return
      const data = body.kind === 'events' ? `${JSON.stringify(item)}\n` : (item as string | Uint8Array)
      if (!outgoing.write(data)) await drained(outgoing)
    }
    outgoing.end()
  } catch {
    cut(outgoing)
  }
}

/** Cuts the connection by a TCP reset. TLS has no reset: there, the connection closes before the answer is complete. */
function cut({ socket }: ServerResponse): void {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket?.resetAndDestroy()
}

/** Resolves when the client has read enough or has disconnected. Removes both listeners, which a race of two `once` would not. */
function drained(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      outgoing.off('drain', end).off('close', end)
      resolve()
    }
    outgoing.on('drain', end).on('close', end)
  })
}
