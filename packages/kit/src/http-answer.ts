// Reads one answer of an HTTP/1.1 server from the bytes of its connection (https://www.rfc-editor.org/rfc/rfc9112).
import type { Method } from './http.ts'

export type AnswerHead = {
  readonly status: number
  /** Names in lower case. The values of a repeated header are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
}

/** Receives the parts of one answer in order. An answer that is cut has no `end`. */
export interface AnswerParts {
  head(head: AnswerHead): void
  data(chunk: Buffer): void
  end(): void
}

type State = 'head' | 'sized' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close' | 'ended'

const nothing = Buffer.alloc(0)
/** The maximum length of a head or a line, in bytes: twice the limit of Node.js. */
const headBytesMax = 32_768
const [carriageReturn, lineFeed] = [13, 10]

/** All methods throw an `Error` if the server breaks the protocol. The connection is of no use after that. */
export class AnswerReader {
  readonly #method: Method
  readonly #parts: AnswerParts
  #state: State = 'head'
  /** The bytes of the body or the chunk that are still to come. */
  #left = 0
  /** The beginning of a head or a line. */
  #held: Buffer = nothing
  #keptAliveMs = 0

  constructor(method: Method, parts: AnswerParts) {
    this.#method = method
    this.#parts = parts
  }

  /** How long the server keeps the connection open for another request, in milliseconds. 0: it does not; Infinity: it does not say. */
  get keptAliveMs(): number {
    return this.#keptAliveMs
  }

  get hasEnded(): boolean {
    return this.#state === 'ended'
  }

  /** Returns the bytes behind the answer. A server that nobody has asked again sends none. */
  read(bytes: Buffer): Buffer {
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = nothing
    while (rest.length > 0 && this.#state !== 'ended') {
      const used = this.#step(rest)
      if (used === 0) {
        if (rest.length > headBytesMax) throw new Error('a head or a line of the answer is too long')
        this.#held = rest
        return nothing
      }
      rest = rest.subarray(used)
    }
    return rest
  }

  /** The server has closed the connection. */
  close(): void {
    if (this.#state === 'until-close') this.#end()
    if (this.#state === 'ended') return
    const nothingCame = this.#state === 'head' && this.#held.length === 0
    throw new Error(nothingCame ? 'the server closed the connection without an answer' : 'the answer was cut')
  }

  /** Returns the number of bytes that it has read. 0: it needs more. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes)
      case 'sized':
      case 'chunk':
        return this.#readSized(bytes)
      case 'size':
      case 'chunk-end':
      case 'trailer':
        return this.#readLine(bytes)
      case 'until-close':
        this.#parts.data(bytes)
        return bytes.length
      case 'ended':
        return 0
    }
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n\r\n', 0, 'latin1')
    if (end < 0) return 0
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
    const match = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(first)
    if (!match) throw new Error(`the answer is not HTTP/1.1: ${first.slice(0, 40)}`)
    const status = Number(match[2])
    if (status === 101) throw new Error('the server changed the protocol')
    // Answers below 200 come before the answer itself.
    if (status < 200) return end + 4
    const headers = readHeaders(lines)
    this.#beginBody(status, headers)
    if (this.#state !== 'until-close') this.#keptAliveMs = keptAliveMs(headers, match[1] === '1')
    this.#parts.head({ status, headers })
    if (this.#state === 'sized' && this.#left === 0) this.#end()
    return end + 4
  }

  /** Finds out where the body ends (https://www.rfc-editor.org/rfc/rfc9112#name-message-body-length). */
  #beginBody(status: number, headers: Readonly<Record<string, string>>): void {
    const { 'transfer-encoding': coding, 'content-length': length } = headers
    this.#state = 'sized'
    this.#left = 0
    if (this.#method === 'HEAD' || status === 204 || status === 304) return
    if (coding !== undefined) {
      if (length !== undefined) throw new Error('the answer has a content-length and a transfer-encoding')
      if (coding.toLowerCase() !== 'chunked') throw new Error(`the transfer-encoding is ${coding.slice(0, 40)}`)
      this.#state = 'size'
    } else if (length === undefined) {
      this.#state = 'until-close'
    } else {
      if (!/^\d{1,15}$/.test(length)) throw new Error(`the content-length is ${length.slice(0, 40)}`)
      this.#left = Number(length)
    }
  }

  #readSized(bytes: Buffer): number {
    const chunk = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left)
    this.#left -= chunk.length
    this.#parts.data(chunk)
    if (this.#left === 0) {
      if (this.#state === 'sized') this.#end()
      else this.#state = 'chunk-end'
    }
    return chunk.length
  }

  #readLine(bytes: Buffer): number {
    const end = bytes.indexOf(lineFeed)
    if (end < 0) return 0
    if (bytes[end - 1] !== carriageReturn) throw new Error('a line of the answer does not end with CR LF')
    const isEmpty = end === 1
    if (this.#state === 'size') this.#beginChunk(bytes.toString('latin1', 0, end - 1))
    else if (this.#state === 'trailer') {
      if (isEmpty) this.#end()
    } else {
      if (!isEmpty) throw new Error('a chunk of the answer is longer than its size')
      this.#state = 'size'
    }
    return end + 1
  }

  #beginChunk(line: string): void {
    const match = /^([\da-f]{1,12})[ \t]*(?:;|$)/i.exec(line)
    if (!match) throw new Error(`the size of a chunk is ${line.slice(0, 40)}`)
    this.#left = Number.parseInt(match[1] as string, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'chunk'
  }

  #end(): void {
    this.#state = 'ended'
    this.#parts.end()
  }
}

/** Headers that a server may send twice although only one value makes sense: the first counts, as in Node.js. */
const single = new Set(['content-type', 'date', 'location', 'retry-after'])

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    if (!/^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*$/.test(line))
      throw new Error(`a header is invalid: ${line.slice(0, 40)}`)
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (before === undefined) headers[name] = value
    else if (name === 'content-length') {
      if (before !== value) throw new Error(`the content-length is ${before.slice(0, 20)} and ${value.slice(0, 20)}`)
    } else if (!single.has(name)) headers[name] = `${before}, ${value}`
  }
  return headers
}

/** A server with `timeout=5` may close after 5 s. The client stops a second sooner, so that no request meets the end. */
const keepAliveMarginMs = 1_000

function keptAliveMs(headers: Readonly<Record<string, string>>, isDefault: boolean): number {
  const connection = (headers['connection'] ?? '').toLowerCase()
  if (/\bclose\b/.test(connection) || !(isDefault || /\bkeep-alive\b/.test(connection))) return 0
  const seconds = /\btimeout=(\d{1,6})\b/i.exec(headers['keep-alive'] ?? '')?.[1]
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(seconds) * 1_000 - keepAliveMarginMs)
}
