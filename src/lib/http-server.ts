// The HTTP server: reads requests as plain values and writes the answers, over node:http, by default on 127.0.0.1.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, isIPv6 } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type Answer, type Body, type Method, parseBody, type Request, textAnswer } from './http.ts'

export type HttpHandler = (request: Request) => Promise<Answer>

export type HttpServerOptions = {
  /** Serves over TLS with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** The address to listen on. The default is 127.0.0.1. */
  readonly host?: string
  /** 0 (the default) takes a free port. */
  readonly port?: number
  /** The maximum size of a request body, in bytes. The server answers a larger one with 413. */
  readonly bytesMax?: number
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
  const listener: RequestListener = (incoming, outgoing) => void serve(handler, options, incoming, outgoing)
  const settings = { keepAliveTimeout: 75_000 }
  const server = options.tls
    ? createSecureServer({ ...settings, ...options.tls }, listener)
    : createServer(settings, listener)
  const host = options.host ?? '127.0.0.1'
  server.listen(options.port ?? 0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
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
    await writeAnswer(outgoing, textAnswer(413, 'the request is too large or was cut\n', { connection: 'close' }))
    return
  }
  let answer: Answer
  try {
    answer = await handler(request)
  } catch (error) {
    if (!gone.signal.aborted) options.onError?.(error, request)
    answer = textAnswer(500, 'internal error\n')
  }
  await writeAnswer(outgoing, answer)
}

async function readRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
  bytesMax: number,
): Promise<Request | undefined> {
  const [path = '/', search = ''] = splitOnce(incoming.url ?? '/', '?')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of incoming) {
      size += (chunk as Buffer).length
      if (size > bytesMax) return undefined
      chunks.push(chunk as Buffer)
    }
  } catch {
    return undefined
  }
  return {
    method: (incoming.method ?? 'GET') as Method,
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
    headers,
    body: parseBody(Buffer.concat(chunks), headers['content-type'] ?? ''),
    expect: 'whole',
    signal,
  }
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
