// HTTP on plain values. Clients and servers meet on these types, so that production code runs against an in-process
// server without sockets or serialisation; JSON and sockets live in the two codecs (http-client.ts, http-server.ts).

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'

/** What an answer or a request carries. `text` is what was not JSON; `events` is a stream of JSON values, one a line; `bytes` a stream of text as it comes.
 *  `cut` is a fault on purpose: a server sends the text and then resets the connection. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'events'; readonly items: AsyncIterable<unknown> }
  | { readonly kind: 'bytes'; readonly chunks: AsyncIterable<string | Uint8Array> }
  | { readonly kind: 'cut'; readonly text: string }

export type Request = {
  readonly method: Method
  /** Scheme, host and port, without a trailing slash; absent: the transport's own server. */
  readonly origin?: string | undefined
  /** Percent-encoded, begins with a slash, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** A query that is sent byte for byte, before `query`: for an address that another server has handed out. Without the question mark. */
  readonly search?: string | undefined
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** How a successful answer is to be read; answers of 400 and above are always read whole. */
  readonly expect: 'whole' | 'events' | 'bytes'
  /** Keys whose arrays and objects are never looked at: a codec may hand them over empty and spare the time to parse them. */
  readonly unread?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** Sends one request. Rejects only with a `TransportError` (nothing usable came back) or the signal's reason; a status of 400 and above is an answer. */
export type Transport = (request: Request) => Promise<Answer>

/** No usable answer: refused, reset, timed out, or broken in the middle. The request may or may not have been carried out. */
export class TransportError extends Error {
  /** `connect`: surely not sent; `lost`: perhaps carried out. `certificate`: the peer's certificate is not trusted, trying again is useless. */
  readonly kind: 'connect' | 'lost' | 'timeout' | 'certificate'

  constructor(kind: TransportError['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TransportError'
    this.kind = kind
  }
}

export const noBody: Body = { kind: 'none' }

export function jsonBody(value: unknown): Body {
  return { kind: 'json', value }
}

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: { kind: 'json', value } }
}

export function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: { kind: 'text', text } }
}

/** Bytes to a body: JSON where it is JSON (a leading byte order mark is dropped), else the raw text; protobuf stays bytes. */
export function parseBody(bytes: Buffer, type: string): Body {
  if (bytes.length > 0 && /\bprotobuf\b/.test(type)) return { kind: 'bytes', chunks: once(bytes) }
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (text === '') return { kind: 'none' }
  if (/\btext\/(plain|html)\b/.test(type)) return { kind: 'text', text }
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return { kind: 'text', text }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
