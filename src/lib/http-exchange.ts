// The exchanges of HTTP/1.1 and HTTP/2 share this: the head of an answer, and how a request becomes a path, headers and bytes.
import type { Readable } from 'node:stream'
import type { Request } from './http.ts'

/** An answer whose head has arrived and whose body is still unread. */
export type Incoming = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Destroying it ends the request at the server, too. */
  readonly body: Readable
  /** At the end of the body: returns whether the server cut it. A reset of HTTP/2 ends the body before it emits its error. */
  readonly cut: () => boolean
}

/** How long a connection may take to open, in milliseconds. */
export const connectTimeoutMs = 10_000
/** The maximum silence within a whole answer, in milliseconds. */
export const bodyTimeoutMs = 60_000
/** How long a connection is idle before the operating system sends a TCP keep-alive probe. */
export const keepAliveProbeMs = 60_000

/** The code of a connection that did not open in time: the request was not sent. */
export const connectTimeoutCode = 'DAYFLY_CONNECT_TIMEOUT'

/** The code of a request that the server says it has not begun (https://www.rfc-editor.org/rfc/rfc9113#section-8.7). */
export const unsentCode = 'DAYFLY_UNSENT'

/** The error of a connection or an answer that did not come in time. */
export function lateError(connecting: boolean): Error {
  return Object.assign(new Error('no answer in time'), { code: connecting ? connectTimeoutCode : 'ETIMEDOUT' })
}

/** Returns the headers with one text each, without HTTP/2's own fields such as `:status`. */
export function joinedHeaders(headers: NodeJS.Dict<string | readonly string[]>): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':'))
      joined[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return joined
}

export function pathOf({ path, search, query }: Request): string {
  const encoded = Object.keys(query).length === 0 ? '' : new URLSearchParams(query).toString()
  const whole = search && encoded ? `${search}&${encoded}` : search || encoded
  return whole ? `${path}?${whole}` : path
}

export function encodeBody({ method, headers: given, body }: Request): {
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
