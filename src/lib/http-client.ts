// The HTTP client: sends plain values as bytes and reads the answer back, over node:http (docs/decisions/0005-node-http.md).

import type { AgentOptions } from 'node:https'
import type { Readable } from 'node:stream'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Dial } from './dial.ts'
import { type Answer, type Body, parseBody, type Request, type Transport, TransportError } from './http.ts'
import { connectTimeoutCode, type Incoming, unsentCode } from './http-exchange.ts'
import { createPool } from './http-pool.ts'
import { exchangeHttp1 } from './http1-exchange.ts'
import { exchangeHttp2 } from './http2-exchange.ts'
import { createSessions } from './http2-sessions.ts'
import { emptyValues, keySet, splitLines } from './json-bytes.ts'
import { type Channel, channel } from './queue.ts'

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
  /** Speaks HTTP/2 with an https server that offers it. It does not apply with a `dial`. The default is HTTP/1.1. */
  readonly http2?: boolean
}

export interface HttpClient {
  readonly transport: Transport
  /** Closes every connection, even those in use. */
  close(): Promise<void>
}

export function httpClient(options: HttpClientOptions = {}): HttpClient {
  const exchanges = createExchanges(options)
  const bytesMax = options.bytesMax ?? 256 * 1024 * 1024
  const transport: Transport = async (request) => {
    const origin = request.origin ?? options.origin
    if (!origin) throw new TransportError('connect', `no server is known for ${request.path}`)
    const exchange = request.expect === 'whole' ? exchanges.whole : exchanges.streams
    try {
      request.signal?.throwIfAborted()
      return await readAnswer(await exchange(request, origin), request, bytesMax)
    } catch (error) {
      throw asTransportError(error, request, origin)
    }
  }
  return { transport, close: async () => exchanges.close() }
}

type Exchange = (request: Request, origin: string) => Promise<Incoming>

/** Creates the exchanges for whole answers and for streams. They share no connection: a stream that its reader holds back delays no answer. */
function createExchanges(options: HttpClientOptions) {
  const { dial, tls, connections = 16, headersTimeoutMs = 90_000 } = options
  const agent = agentOptions(tls)
  const context = sharedContext(tls)
  const closers: (() => void)[] = []
  const over = (more: AgentOptions): Exchange => {
    const pool = createPool({ agent: { ...agent, ...more }, context, dial })
    const sessions = options.http2 && !dial ? createSessions({ context, tls: agent }) : undefined
    closers.push(pool.close, () => sessions?.close())
    return async (request, origin) => {
      const secure = origin.startsWith('https:') ? sessions : undefined
      const incoming = secure && (await exchangeHttp2(request, { origin, sessions: secure, headersTimeoutMs }))
      return incoming ?? (await exchangeHttp1(request, { origin, pool, headersTimeoutMs }))
    }
  }
  return {
    whole: over({ keepAlive: true, timeout: idleMsMax, maxSockets: connections }),
    streams: over({ keepAlive: false }),
    close: () => {
      for (const close of closers) close()
    },
  }
}

function agentOptions({ servername, rejectUnauthorized }: NonNullable<HttpClientOptions['tls']> = {}) {
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

async function readAnswer(incoming: Incoming, request: Request, bytesMax: number): Promise<Answer> {
  const { status, headers } = incoming
  if (request.expect === 'whole' || status >= 400) {
    return { status, headers, body: await readWhole(incoming, request, bytesMax) }
  }
  const chunks = chunksOf(incoming)
  if (request.expect === 'bytes')
    return { status, headers, body: { kind: 'bytes', chunks: readChunks(chunks, request) } }
  return { status, headers, body: { kind: 'events', items: readEvents(chunks, request) } }
}

/** Reads by events: the iterator of a stream costs more than the rest of a small answer. */
function readWhole({ body: response, headers, cut }: Incoming, { unread }: Request, bytesMax: number): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bytesMax) response.destroy(new TransportError('lost', `the answer is larger than ${bytesMax} bytes`))
      else chunks.push(chunk)
    })
    response.on('error', reject).on('end', () => {
      if (cut()) return reject(cutError(response))
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      resolve(parseBody(unread ? emptyValues(bytes, keySet(unread)) : bytes, headers['content-type'] ?? ''))
    })
    onCut(response, reject)
  })
}

/** Calls back if the answer ends before its end. If it was cut before the listener was added, only its closed state shows that. */
function onCut(response: Readable, failed: (error: Error) => void): void {
  const check = () => {
    if (!response.readableEnded) failed(cutError(response))
  }
  response.on('close', check)
  // A stream of HTTP/2 is `closed` when its last frame has arrived, read or not.
  if (response.destroyed) check()
}

function cutError(response: Readable): Error {
  return response.errored ?? new Error('the answer was cut')
}

async function* readChunks(chunks: AsyncIterable<Buffer>, request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw asTransportError(error, request, '')
  }
}

/** Yields one JSON value for each line. Throws `lost` if the stream ends or breaks within a line. */
async function* readEvents(chunks: AsyncIterable<Buffer>, request: Request): AsyncGenerator<unknown> {
  const unread = request.unread && keySet(request.unread)
  try {
    for await (const { line, ended } of splitLines(chunks, lineBytesMax)) {
      if (ended) yield parseLine(unread ? emptyValues(line, unread) : line)
      else if (line.toString().trim() !== '') {
        throw new TransportError('lost', `the stream of ${request.path} ended within a line`)
      }
    }
  } catch (error) {
    throw asTransportError(error, request, '')
  }
}

/**
 * Returns the chunks as the socket delivers them. The iterator of a Readable joins waiting chunks and so copies most of a busy stream.
 * It listens at once: the stream may close before its reader begins.
 */
function chunksOf({ body: response, cut }: Incoming): AsyncIterable<Buffer> {
  const waiting = channel<Buffer>(() => response.destroy())
  response.on('data', (chunk: Buffer) => {
    waiting.push(chunk)
    if (waiting.size >= chunksMax) response.pause()
  })
  response.on('end', () => (cut() ? waiting.fail(cutError(response)) : waiting.close())).on('error', waiting.fail)
  onCut(response, waiting.fail)
  return resuming(waiting, response)
}

async function* resuming(waiting: Channel<Buffer>, response: Readable): AsyncGenerator<Buffer> {
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

/** The client closes a connection that was idle for longer, because the server may be about to close it. */
const idleMsMax = 15_000
/** The client pauses the socket when this many chunks of a stream wait. A chunk has at most 64 KB. */
const chunksMax = 32
/** The maximum length of a line in a stream, in bytes: far more than any server stores as one object. */
const lineBytesMax = 32 * 1024 * 1024

const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  connectTimeoutCode,
  unsentCode,
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
