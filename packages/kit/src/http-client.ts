// The HTTP client: sends plain values as bytes and reads the answer back (docs/decisions/0034-own-http-client.md).
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Dial } from './dial.ts'
import { type Answer, type Body, parseBody, type Request, type Transport, TransportError } from './http.ts'
import type { AnswerHead } from './http-answer.ts'
import { type Room, rooms, streamBody, wholeBody } from './http-body.ts'
import { Exchange, OpenError } from './http-connection.ts'
import type { Server } from './http-open.ts'
import { Pool } from './http-pool.ts'
import { requestText } from './http-request.ts'
import { emptyValues, keySet, splitLines } from './json-bytes.ts'

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
  /** Opens the connections: for proxies and private certificate authorities. `tls` does not apply to it. */
  readonly dial?: Dial | undefined
}

export interface HttpClient {
  readonly transport: Transport
  /** Closes every connection, even those in use. */
  close(): Promise<void>
}

export function httpClient(options: HttpClientOptions = {}): HttpClient {
  const { dial, tls = {} } = options
  const pool = new Pool({ connections: options.connections ?? 16, context: sharedContext(tls), tls, dial })
  const headersTimeoutMs = options.headersTimeoutMs ?? 90_000
  const roomOf = rooms(options.bytesMax ?? 256 * 2 ** 20)
  const transport: Transport = async (request) => {
    const origin = request.origin ?? options.origin
    if (!origin) throw new TransportError('connect', `no server is known for ${request.path}`)
    try {
      request.signal?.throwIfAborted()
      return await send(request, { pool, server: pool.server(origin), headersTimeoutMs, room: roomOf(origin) })
    } catch (error) {
      throw asTransportError(error, request, origin)
    }
  }
  return { transport, close: async () => pool.close() }
}

/** Parses the certificates once, and not for each connection. */
function sharedContext({ ca, cert, key }: NonNullable<HttpClientOptions['tls']>): () => SecureContext {
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

type Route = {
  readonly pool: Pool
  readonly server: Server
  readonly headersTimeoutMs: number
  readonly room: Room
}

/** Sends the request, and resolves with its whole answer or at the head of its stream. */
async function send(request: Request, { pool, server, headersTimeoutMs, room }: Route): Promise<Answer> {
  const { method, signal } = request
  const isWhole = request.expect === 'whole'
  const text = requestText(request, server)
  let stop: (() => void) | undefined
  const answer = await new Promise<() => Answer>((resolve, reject) => {
    const exchange: Exchange = new Exchange({
      method,
      text,
      headersTimeoutMs,
      begin: (head) => {
        if (isWhole || head.status >= 400) {
          return wholeBody(exchange, room, {
            done: (bytes) => resolve(() => wholeAnswer(head, bytes, request)),
            failed: reject,
          })
        }
        const { reader, chunks } = streamBody(exchange)
        resolve(() => streamAnswer(head, chunks(), request))
        return reader
      },
      fail: reject,
      over: () => {
        if (stop) signal?.removeEventListener('abort', stop)
      },
    })
    if (signal) {
      stop = () => exchange.cancel(new Error('aborted'))
      signal.addEventListener('abort', stop, { once: true })
    }
    if (isWhole) pool.carry(exchange, server)
    else pool.carryAlone(exchange, server)
  })
  return answer()
}

function wholeAnswer({ status, headers }: AnswerHead, bytes: Buffer, { unread }: Request): Answer {
  const read = unread ? emptyValues(bytes, keySet(unread)) : bytes
  return { status, headers, body: parseBody(read, headers['content-type'] ?? '') }
}

function streamAnswer({ status, headers }: AnswerHead, chunks: AsyncIterable<Buffer>, request: Request): Answer {
  const body: Body =
    request.expect === 'bytes'
      ? { kind: 'bytes', chunks: readChunks(chunks, request) }
      : { kind: 'events', items: readEvents(chunks, request) }
  return { status, headers, body }
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

function parseLine(line: Buffer): unknown {
  const text = line.toString()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TransportError('lost', `a line of the stream is not JSON: ${text.slice(0, 80)}`, error)
  }
}

/** The maximum length of a line in a stream, in bytes: far more than any server stores as one object. */
const lineBytesMax = 32 * 1024 * 1024

const certificateCode = /CERT|UNABLE_TO_VERIFY|SELF_SIGNED|ERR_TLS|ALTNAME/

function asTransportError(error: unknown, request: Request, origin: string): unknown {
  if (error instanceof TransportError) return error
  if (request.signal?.aborted) return request.signal.reason
  const isUnsent = error instanceof OpenError
  const first = (isUnsent ? error.cause : error) as { code?: string; message: string }
  const { code = '', message } = first
  const text = `${request.method} ${origin}${request.path}: ${message || code}`
  return new TransportError(kindOf(code, isUnsent), text, first)
}

function kindOf(code: string, isUnsent: boolean): TransportError['kind'] {
  if (certificateCode.test(code)) return 'certificate'
  if (isUnsent) return 'connect'
  return code === 'ETIMEDOUT' ? 'timeout' : 'lost'
}
