// The HTTP client: sends plain values as bytes and reads the answer back, over node:http (docs/decisions/0005-node-http.md).
import type { IncomingMessage } from 'node:http'
import type { AgentOptions } from 'node:https'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Dial } from './dial.ts'
import { type Answer, type Body, parseBody, type Request, type Transport, TransportError } from './http.ts'
import { createPool, type Pool } from './http-pool.ts'
import { emptyValues, keySet, splitLines } from './json-bytes.ts'
import { channel } from './queue.ts'

export type HttpClientOptions = {
  /** The server of requests without an origin of their own, for example `https://10.0.0.1:6443`. */
  readonly origin?: string | undefined
  /** The maximum number of connections to one server for whole answers. Each stream has its own connection in addition. */
  readonly connections?: number
  /** How long the client waits for the status line and headers, in milliseconds. */
  readonly headersTimeoutMs?: number
  /** The maximum size of all whole answers of one server that are read at the same time, in bytes. */
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
  const agent = agentOptions(options.tls)
  const context = sharedContext(options.tls)
  const connections = options.connections ?? 16
  const keptAlive = { ...agent, keepAlive: true, timeout: idleMsMax, maxSockets: connections }
  const whole = createPool({ agent: keptAlive, context, dial })
  const streams = createPool({ agent: { ...agent, keepAlive: false }, context, dial })
  const headersTimeoutMs = options.headersTimeoutMs ?? 90_000
  const roomOf = rooms(options.bytesMax ?? 256 * 2 ** 20)
  const transport: Transport = async (request) => {
    const origin = request.origin ?? options.origin
    if (!origin) throw new TransportError('connect', `no server is known for ${request.path}`)
    const pool = request.expect === 'whole' ? whole : streams
    try {
      request.signal?.throwIfAborted()
      return await readAnswer(await exchange(request, { origin, pool, headersTimeoutMs }), request, roomOf(origin))
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

function agentOptions({ servername, rejectUnauthorized }: NonNullable<HttpClientOptions['tls']> = {}): AgentOptions {
  return {
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  }
}

/** Parses the certificates once, and not for each connection. */
function sharedContext({ ca, cert, key }: NonNullable<HttpClientOptions['tls']> = {}): () => SecureContext {
  let context: SecureContext | undefined
  return () => {
    context ??= createSecureContext({
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    })
    return context
  }
}

type ExchangeOptions = { readonly origin: string; readonly pool: Pool; readonly headersTimeoutMs: number }

/** Sends the request and resolves with the answer's status and headers; its body is still unread. */
function exchange(request: Request, { origin, pool, headersTimeoutMs }: ExchangeOptions): Promise<IncomingMessage> {
  const { method, signal, expect } = request
  const { headers, text } = encodeBody(request)
  const path = pathOf(request)
  return new Promise((resolve, reject) => {
    const outgoing = pool.open(origin, { method, path, headers })
    let response: IncomingMessage | undefined
    outgoing.on('error', reject).on('socket', (socket) => {
      let connecting = socket.connecting
      pool.onTimeout(socket, () => {
        const code = connecting ? connectTimeoutCode : 'ETIMEDOUT'
        const error = Object.assign(new Error('no answer in time'), { code })
        if (response) response.destroy(error)
        else outgoing.destroy(error)
      })
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
      resolve(incoming)
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

function pathOf({ path, search, query, repeated = {} }: Request): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const all = Object.hasOwn(repeated, name) ? repeated[name] : undefined
    return (all ?? [value]).map((one): [string, string] => [name, one])
  })
  const encoded = pairs.length === 0 ? '' : new URLSearchParams(pairs).toString()
  const whole = search && encoded ? `${search}&${encoded}` : search || encoded
  return whole ? `${path}?${whole}` : path
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

/** The room for the answers of one server that are not complete yet. */
type Room = { readonly bytesMax: number; bytes: number }

/** Each server has its own, so that none takes that of another. */
function rooms(bytesMax: number): (origin: string) => Room {
  const byOrigin = new Map<string, Room>()
  return (origin) => {
    const room = byOrigin.get(origin) ?? { bytesMax, bytes: 0 }
    byOrigin.set(origin, room)
    return room
  }
}

async function readAnswer(response: IncomingMessage, request: Request, room: Room): Promise<Answer> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const status = response.statusCode ?? 0
  if (request.expect === 'whole' || status >= 400) {
    return { status, headers, body: await readWhole(response, request, room) }
  }
  if (request.expect === 'bytes')
    return { status, headers, body: { kind: 'bytes', chunks: readChunks(response, request) } }
  return { status, headers, body: { kind: 'events', items: readEvents(response, request) } }
}

/** Reads by events: the iterator of a stream costs more than the rest of a small answer. */
function readWhole(response: IncomingMessage, { unread }: Request, room: Room): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      room.bytes += chunk.length
      if (room.bytes <= room.bytesMax) {
        chunks.push(chunk)
        return
      }
      const what = size > room.bytesMax ? 'its answer is' : 'its answers are together'
      response.destroy(new TransportError('lost', `${what} larger than ${Math.floor(room.bytesMax / 2 ** 20)} MiB`))
    })
    response.once('close', () => {
      room.bytes -= size
      chunks.length = 0
    })
    response.on('error', reject).on('end', () => {
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      const type = response.headers['content-type'] ?? ''
      resolve(parseBody(unread ? emptyValues(bytes, keySet(unread)) : bytes, type))
    })
    onCut(response, reject)
  })
}

/** Calls back if the answer ends before its end. If it was cut before the listener was added, only its closed state shows that. */
function onCut(response: IncomingMessage, failed: (error: Error) => void): void {
  const check = () => {
    if (!response.readableEnded) failed(response.errored ?? new Error('the answer was cut'))
  }
  response.on('close', check)
  if (response.closed) check()
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
  onCut(response, waiting.fail)
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
