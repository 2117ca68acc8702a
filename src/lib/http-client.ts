// The HTTP client: sends plain values as bytes and reads the answer back, over node:http (docs/decisions/0005-node-http.md).
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { Dial } from './dial.ts'
import { type Answer, type Body, parseBody, type Request, type Transport, TransportError } from './http.ts'
import { emptyValues, keySet, splitLines } from './json-bytes.ts'
import { channel } from './queue.ts'

export type HttpClientOptions = {
  /** The server of requests without an origin of their own, for example `https://10.0.0.1:6443`. */
  readonly origin?: string | undefined
  /** The maximum number of connections to one server for whole answers. Each stream has its own connection in addition. */
  readonly connections?: number
  /** How long the client waits for the status line and headers, in milliseconds. */
  readonly headersTimeoutMs?: number
  /** The maximum size of a whole answer, in bytes. */
  readonly bytesMax?: number
  readonly tls?: {
    readonly ca?: string | readonly string[] | undefined
    readonly cert?: string | undefined
    readonly key?: string | undefined
    readonly servername?: string | undefined
    readonly rejectUnauthorized?: boolean | undefined
  }
  /** Opens the connections instead of Node's agents: for proxies and private certificate authorities. `tls` does not apply to it. */
  readonly dial?: Dial | undefined
}

export interface HttpClient {
  readonly transport: Transport
  /** Closes every connection, even those in use. */
  close(): Promise<void>
}

export function httpClient(options: HttpClientOptions = {}): HttpClient {
  const { dial } = options
  const tls = tlsOptions(options.tls)
  const connections = options.connections ?? 16
  const whole = createPool({ ...tls, keepAlive: true, timeout: idleMsMax, maxSockets: connections }, dial)
  const streams = createPool({ ...tls, keepAlive: false }, dial)
  const headersTimeoutMs = options.headersTimeoutMs ?? 90_000
  const bytesMax = options.bytesMax ?? 256 * 1024 * 1024
  const transport: Transport = async (request) => {
    const origin = request.origin ?? options.origin
    if (!origin) throw new TransportError('connect', `no server is known for ${request.path}`)
    const pool = request.expect === 'whole' ? whole : streams
    try {
      request.signal?.throwIfAborted()
      return await readAnswer(await exchange(request, { origin, pool, headersTimeoutMs }), request, bytesMax)
    } catch (error) {
      throw asTransportError(error, request, origin)
    }
  }
  return {
    transport,
    close: async () => {
      whole.close()
      streams.close()
    },
  }
}

function tlsOptions(tls: HttpClientOptions['tls']): AgentOptions {
  const { ca, cert, key, servername, rejectUnauthorized } = tls ?? {}
  return {
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  }
}

type Pool = ReturnType<typeof createPool>

/** Creates a pool of connections. It also tracks the requests in flight, because an agent alone cannot end them. */
function createPool(options: AgentOptions, dial: Dial | undefined) {
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)
  if (dial) Object.assign(http, { createConnection: dial.plain })
  if (dial) Object.assign(https, { createConnection: dial.secure })
  const underWay = new Set<ClientRequest>()
  return {
    open(origin: string, more: RequestOptions): ClientRequest {
      const where = urlToHttpOptions(new URL(origin))
      const secure = where.protocol === 'https:'
      const line = dial?.line(origin)
      const whole = line && { path: `${line.prefix}${more.path}`, headers: { ...more.headers, ...line.headers } }
      const outgoing = secure
        ? httpsRequest({ ...where, ...more, agent: https })
        : httpRequest({ ...where, ...more, ...whole, agent: http })
      underWay.add(outgoing)
      return outgoing.on('close', () => underWay.delete(outgoing))
    },
    close(): void {
      for (const outgoing of underWay) outgoing.destroy(new Error('the client was closed'))
      http.destroy()
      https.destroy()
    },
  }
}

type ExchangeOptions = { readonly origin: string; readonly pool: Pool; readonly headersTimeoutMs: number }

/** Sends the request and resolves with the answer's status and headers; its body is still unread. */
function exchange(request: Request, { origin, pool, headersTimeoutMs }: ExchangeOptions): Promise<IncomingMessage> {
  const { method, signal, expect } = request
  const { headers, text } = encodeBody(request)
  const query = [request.search, new URLSearchParams(request.query).toString()].filter(Boolean).join('&')
  const path = query ? `${request.path}?${query}` : request.path
  return new Promise((resolve, reject) => {
    const outgoing = pool.open(origin, { method, path, headers, ...(signal ? { signal } : {}) })
    let response: IncomingMessage | undefined
    outgoing.on('error', reject).on('socket', (socket) => {
      let connecting = socket.connecting
      const onTimeout = () => {
        const code = connecting ? connectTimeoutCode : 'ETIMEDOUT'
        const error = Object.assign(new Error('no answer in time'), { code })
        if (response) response.destroy(error)
        else outgoing.destroy(error)
      }
      socket.setTimeout(connecting ? connectTimeoutMs : headersTimeoutMs)
      socket.on('timeout', onTimeout)
      outgoing.on('close', () => socket.off('timeout', onTimeout))
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
      resolve(incoming)
    })
    outgoing.end(text)
  })
}

function encodeBody({ method, headers: given, body }: Request): {
  readonly headers: Record<string, string>
  readonly text: string | undefined
} {
  const headers: Record<string, string> = { ...given }
  if (body.kind === 'json') headers['content-type'] ??= 'application/json'
  const text = body.kind === 'json' ? JSON.stringify(body.value) : body.kind === 'text' ? body.text : undefined
  if (text !== undefined) headers['content-length'] = String(Buffer.byteLength(text))
  else if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0'
  return { headers, text }
}

async function readAnswer(response: IncomingMessage, request: Request, bytesMax: number): Promise<Answer> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const status = response.statusCode ?? 0
  if (request.expect === 'whole' || status >= 400) {
    return { status, headers, body: await readWhole(response, request, bytesMax) }
  }
  if (request.expect === 'bytes')
    return { status, headers, body: { kind: 'bytes', chunks: readChunks(response, request) } }
  return { status, headers, body: { kind: 'events', items: readEvents(response, request) } }
}

async function readWhole(response: IncomingMessage, { unread }: Request, bytesMax: number): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of chunksOf(response)) {
    size += chunk.length
    if (size > bytesMax) throw new TransportError('lost', `the answer is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  return parseBody(unread ? emptyValues(bytes, keySet(unread)) : bytes, response.headers['content-type'] ?? '')
}

async function* readChunks(response: IncomingMessage, request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksOf(response)
  } catch (error) {
    throw asTransportError(error, request, '')
  }
}

/** Yields one JSON value for each line. Throws `lost` if the stream ends or breaks within a line. */
async function* readEvents(response: IncomingMessage, request: Request): AsyncGenerator<unknown> {
  const unread = request.unread && keySet(request.unread)
  try {
    for await (const { line, ended } of splitLines(chunksOf(response), lineBytesMax)) {
      if (ended) yield parseLine(unread ? emptyValues(line, unread) : line)
      else if (line.toString().trim() !== '') {
        throw new TransportError('lost', `the stream of ${request.path} ended within a line`)
      }
    }
  } catch (error) {
    throw asTransportError(error, request, '')
  }
}

/** Yields the chunks as the socket delivers them. The iterator of a Readable joins waiting chunks and so copies most of a busy stream. */
async function* chunksOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  const waiting = channel<Buffer>(() => response.destroy())
  response.on('data', (chunk: Buffer) => {
    waiting.push(chunk)
    if (waiting.size >= chunksMax) response.pause()
  })
  response.on('end', waiting.close).on('error', waiting.fail)
  // If the answer was cut before these listeners were added, only its closed state shows it.
  const cut = () => waiting.fail(response.errored ?? new Error('the answer was cut'))
  response.on('close', cut)
  if (response.closed) cut()
  for await (const chunk of waiting) {
    yield chunk
    if (waiting.size === 0 && response.isPaused()) response.resume()
  }
}

function parseLine(line: Buffer): unknown {
  const text = line.toString()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TransportError('lost', `a line of the stream is not JSON: ${text.slice(0, 80)}`, error)
  }
}

const connectTimeoutMs = 10_000
/** The client closes a connection that was idle for longer, because the server may be about to close it. */
const idleMsMax = 15_000
/** The maximum silence within a whole answer. */
const bodyTimeoutMs = 60_000
/** How long a connection is idle before the operating system sends a TCP keep-alive probe. */
const keepAliveProbeMs = 60_000
/** The client pauses the socket when this many chunks of a stream wait. A chunk has at most 64 KB. */
const chunksMax = 32
/** The maximum length of a line in a stream, in bytes: far more than any server stores as one object. */
const lineBytesMax = 32 * 1024 * 1024

const connectTimeoutCode = 'DAYFLY_CONNECT_TIMEOUT'
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  connectTimeoutCode,
])
const certificateCode = /CERT|UNABLE_TO_VERIFY|SELF_SIGNED|ERR_TLS|ALTNAME/

function asTransportError(error: unknown, request: Request, origin: string): unknown {
  if (error instanceof TransportError) return error
  if (request.signal?.aborted) return request.signal.reason
  const { code = '', syscall = '', message } = error as { code?: string; syscall?: string; message: string }
  return new TransportError(
    kindOf(code, syscall),
    `${request.method} ${origin}${request.path}: ${message || code}`,
    error,
  )
}

function kindOf(code: string, syscall: string): TransportError['kind'] {
  if (unsentCodes.has(code) || syscall === 'connect') return 'connect'
  if (code === 'ETIMEDOUT') return 'timeout'
  return certificateCode.test(code) ? 'certificate' : 'lost'
}
