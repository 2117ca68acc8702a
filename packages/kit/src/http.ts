// HTTP as plain values. Clients and servers share these types, so that production code also runs against an in-process server.
// Only http-client.ts and http-server.ts work with sockets and serialise JSON.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'

/** Binary messages in both directions on one connection: a WebSocket, or its counterpart in this process. */
export interface MessageStream {
  /** The peer's messages in order. They end when the peer closes the stream or is gone. The codec reads little more than its consumer takes. */
  readonly messages: AsyncIterable<Uint8Array>
  /** Sends one message. Resolves when the next may follow, also if the peer is gone. */
  send(message: Uint8Array): Promise<void>
  /** Aborted when the peer closes the stream, breaks its protocol, or is gone. */
  readonly gone: AbortSignal
}

/** The body of an answer that turns the connection into a stream of messages. The server closes it when `serve` resolves. */
export type MessagesBody = {
  readonly kind: 'messages'
  /** The subprotocol that the server has chosen from the client's offers. */
  readonly protocol: string
  serve(stream: MessageStream): Promise<void>
}

/** The body of a request or an answer. `text` is a body that is not JSON. `events` is a stream of JSON values, one on each line. `bytes` is a
 *  stream of raw chunks. `cut` is a deliberate fault: the server sends the head and the text, then resets the connection. If the text is empty, it sends no byte at all. */
export type Body =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'json'
      readonly value: unknown
      /** The bytes that a server has received. They show what the value cannot: fields that appear twice. */
      readonly raw?: Uint8Array
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'events'; readonly items: AsyncIterable<unknown> }
  | { readonly kind: 'bytes'; readonly chunks: AsyncIterable<string | Uint8Array> }
  | { readonly kind: 'cut'; readonly text: string }
  | MessagesBody

export type Request = {
  readonly method: Method
  /** Scheme, host and port, without a trailing slash. If absent, the transport uses its own server. */
  readonly origin?: string | undefined
  /** Percent-encoded, begins with a slash, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** All values of each parameter that the query repeats, in order. `query` has the last of them. */
  readonly repeated?: Readonly<Record<string, readonly string[]>> | undefined
  /** A query that is sent byte for byte, before `query`: for an address that another server has handed out. Without the question mark. */
  readonly search?: string | undefined
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** How to read a successful answer. Answers of 400 and above are always read whole. */
  readonly expect: 'whole' | 'events' | 'bytes'
  /** Keys whose arrays and objects the caller never reads. A client may return them empty to save parsing time. */
  readonly unread?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** Sends one request. Rejects only with a `TransportError` or the signal's reason: a status of 400 and above is an answer, too. */
export type Transport = (request: Request) => Promise<Answer>

/** The error of a request without a usable answer: refused, reset, timed out or cut. The server may have carried out the request. */
export class TransportError extends Error {
  /** `connect`: the request was not sent. `lost`: the server may have carried it out. `certificate`: the certificate is not trusted; do not retry.
   *  `proxy`: the proxy refuses the request, which was not sent; do not retry. */
  readonly kind: 'connect' | 'lost' | 'timeout' | 'certificate' | 'proxy'

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

/** Parses bytes as JSON, without a leading byte order mark. Returns any other text as `text`, and protobuf as `bytes`. */
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
