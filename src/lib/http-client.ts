// The client's codec: plain values to bytes and back, over undici.
import { Agent, type Dispatcher } from 'undici'
import { type Answer, type Body, parseBody, type Request, type Transport, TransportError } from './http.ts'
import { emptyArrays, splitLines } from './json-bytes.ts'

export type HttpClientOptions = {
  /** Where requests without an origin of their own go, for example `https://10.0.0.1:6443`. */
  readonly origin?: string | undefined
  /** Connections a server for whole answers; streams get one each beside them. */
  readonly connections?: number
  /** How long the answer's head may take, in milliseconds. */
  readonly headersTimeoutMs?: number
  /** The largest whole answer that is read, in bytes. */
  readonly bytesMax?: number
  readonly tls?: {
    readonly ca?: string | readonly string[] | undefined
    readonly cert?: string | undefined
    readonly key?: string | undefined
    readonly servername?: string | undefined
    readonly rejectUnauthorized?: boolean | undefined
  }
}

export interface HttpClient {
  readonly transport: Transport
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

export function httpClient(options: HttpClientOptions = {}): HttpClient {
  const connect = { ...options.tls } as object
  const headersTimeout = options.headersTimeoutMs ?? 90_000
  const whole = new Agent({ connect, connections: options.connections ?? 16, headersTimeout, bodyTimeout: 60_000 })
  const streams = new Agent({ connect, headersTimeout, bodyTimeout: 0 })
  const bytesMax = options.bytesMax ?? 256 * 1024 * 1024
  const transport: Transport = async (request) => {
    const origin = request.origin ?? options.origin
    if (!origin) throw new TransportError('connect', `no server is known for ${request.path}`)
    const agent = request.expect === 'whole' ? whole : streams
    try {
      const response = await agent.request(dispatchOptions(request, origin))
      return await readAnswer(response, request, bytesMax)
    } catch (error) {
      throw asTransportError(error, request, origin)
    }
  }
  return { transport, close: async () => void (await Promise.all([whole.destroy(), streams.destroy()])) }
}

function dispatchOptions(request: Request, origin: string): Dispatcher.RequestOptions {
  const query = new URLSearchParams(request.query).toString()
  const headers: Record<string, string> = { ...request.headers }
  const options: Dispatcher.RequestOptions = {
    origin,
    path: query ? `${request.path}?${query}` : request.path,
    method: request.method,
    headers,
    signal: request.signal ?? null,
  }
  if (request.body.kind === 'json') {
    headers['content-type'] ??= 'application/json'
    options.body = JSON.stringify(request.body.value)
  } else if (request.body.kind === 'text') {
    options.body = request.body.text
  }
  return options
}

async function readAnswer(response: Dispatcher.ResponseData, request: Request, bytesMax: number): Promise<Answer> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const status = response.statusCode
  if (request.expect === 'whole' || status >= 400) {
    return { status, headers, body: await readWhole(response, request, bytesMax) }
  }
  if (request.expect === 'bytes')
    return { status, headers, body: { kind: 'bytes', chunks: readChunks(response, request) } }
  return { status, headers, body: { kind: 'events', items: readEvents(response, request) } }
}

async function readWhole(response: Dispatcher.ResponseData, { unread }: Request, bytesMax: number): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += (chunk as Buffer).length
    if (size > bytesMax) throw new TransportError('lost', `the answer is larger than ${bytesMax} bytes`)
    chunks.push(chunk as Buffer)
  }
  const bytes = Buffer.concat(chunks)
  return parseBody(unread ? emptyArrays(bytes, unread) : bytes, String(response.headers['content-type'] ?? ''))
}

async function* readChunks(response: Dispatcher.ResponseData, request: Request): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body) yield chunk as Uint8Array
  } catch (error) {
    throw asTransportError(error, request, '')
  }
}

/** One JSON value a line. A stream that ends or breaks within a line is lost, never half a value. */
async function* readEvents(response: Dispatcher.ResponseData, request: Request): AsyncGenerator<unknown> {
  try {
    for await (const { line, ended } of splitLines(response.body, lineBytesMax)) {
      if (ended) yield parseLine(request.unread ? emptyArrays(line, request.unread) : line)
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

/** The longest line of a stream, in bytes: far above what any server stores as one object. */
const lineBytesMax = 32 * 1024 * 1024

const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'EAI_AGAIN',
])
const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])
const certificateCode = /CERT|UNABLE_TO_VERIFY|SELF_SIGNED|ERR_TLS|ALTNAME/

function asTransportError(error: unknown, request: Request, origin: string): unknown {
  if (error instanceof TransportError) return error
  if (request.signal?.aborted) return request.signal.reason
  const { code = '', message } = error as { code?: string; message: string }
  const kind = unsentCodes.has(code)
    ? 'connect'
    : timeoutCodes.has(code)
      ? 'timeout'
      : certificateCode.test(code)
        ? 'certificate'
        : 'lost'
  return new TransportError(kind, `${request.method} ${origin}${request.path}: ${message || code}`, error)
}
