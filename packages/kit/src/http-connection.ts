// One connection of the HTTP client: it carries one exchange of request and answer at a time.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Method } from './http.ts'
import { type AnswerHead, type AnswerParts, AnswerReader } from './http-answer.ts'

/** Reads the body of one answer. Exactly one of `end` and `fail` is called. */
export interface BodyReader {
  /** How long the server may be silent within the body, in milliseconds. 0: indefinitely. */
  readonly silenceMsMax: number
  data(chunk: Buffer): void
  end(): void
  fail(error: Error): void
}

export type ExchangeOptions = {
  readonly method: Method
  /** The whole request as it is sent. */
  readonly text: string
  /** How long the client waits for the status line and headers, in milliseconds. */
  readonly headersTimeoutMs: number
  /** Returns the reader of the body. */
  begin(head: AnswerHead): BodyReader
  /** The request has no answer. */
  fail(error: Error): void
  /** Called when the exchange is complete or has failed, before `end` and `fail`. */
  over(): void
}

/** One request and its answer. */
export class Exchange implements AnswerParts {
  readonly options: ExchangeOptions
  #body: BodyReader | undefined
  #isOver = false
  /** The connection that carries it. Undefined: it waits for one. */
  connection: Connection | undefined

  constructor(options: ExchangeOptions) {
    this.options = options
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** How long the server may be silent now, in milliseconds. 0: indefinitely. */
  get silenceMsMax(): number {
    return this.#body ? this.#body.silenceMsMax : this.options.headersTimeoutMs
  }

  head(head: AnswerHead): void {
    if (!this.#isOver) this.#body = this.options.begin(head)
  }

  data(chunk: Buffer): void {
    if (!this.#isOver) this.#body?.data(chunk)
  }

  end(): void {
    if (this.#finish()) this.#body?.end()
  }

  fail(error: Error): void {
    if (this.#finish()) (this.#body ?? this.options).fail(error)
  }

  /** Ends it with this error. Its connection cannot carry another one, because the answer may still come. */
  cancel(error: Error): void {
    if (this.#isOver) return
    if (this.connection) this.connection.destroy(error)
    else this.fail(error)
  }

  pause(): void {
    this.connection?.pause()
  }

  resume(): void {
    this.connection?.resume()
  }

  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.options.over()
    return true
  }
}

export type ConnectionEvents = {
  /** The connection can carry another exchange for so many milliseconds. */
  free(connection: Connection, forMs: number): void
  closed(connection: Connection): void
}

/** The connection did not open, so that nothing of the request was sent. */
export class OpenError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

const connectTimeoutMs = 10_000
/** How long a connection is idle before the operating system sends a TCP keep-alive probe. */
const keepAliveProbeMs = 60_000

export class Connection {
  readonly #socket: Socket
  readonly #events: ConnectionEvents
  #isOpening: boolean
  #exchange: Exchange | undefined
  #reader: AnswerReader | undefined

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket
    this.#events = events
    this.#isOpening = socket.connecting
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('end', () => this.#attempt(() => this.#reader?.close()))
    socket.on('error', (error) => this.destroy(error))
    socket.on('timeout', () => this.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })))
    socket.on('close', () => {
      this.destroy(new Error('the connection was closed'))
      events.closed(this)
    })
    if (!this.#isOpening) return
    socket.setKeepAlive(true, keepAliveProbeMs)
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      this.#isOpening = false
      if (this.#exchange) this.#waitFor(this.#exchange.silenceMsMax)
    })
  }

  get isUsable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  carry(exchange: Exchange): void {
    const { method, text } = exchange.options
    exchange.connection = this
    this.#exchange = exchange
    this.#reader = new AnswerReader(method, exchange)
    this.#socket.ref()
    this.#waitFor(this.#isOpening ? connectTimeoutMs : exchange.silenceMsMax)
    this.#socket.write(text)
  }

  /** Closes the connection after this time, unless it carries an exchange by then. An idle connection does not keep the process alive. */
  rest(forMs: number): void {
    this.#waitFor(forMs)
    this.#socket.unref()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Closes the connection at once. The exchange that it carries fails with the error. */
  destroy(error: Error): void {
    this.#socket.destroy()
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.fail(this.#isOpening ? new OpenError(error) : error)
  }

  #read(bytes: Buffer): void {
    this.#attempt(() => {
      const [reader, exchange] = [this.#reader, this.#exchange]
      if (!reader || !exchange) throw new Error('the server sent an answer to no request')
      const rest = reader.read(bytes)
      if (!reader.hasEnded) {
        this.#waitFor(exchange.silenceMsMax)
        return
      }
      this.#exchange = undefined
      this.#reader = undefined
      if (rest.length > 0 || reader.keptAliveMs === 0 || !this.isUsable) this.#socket.destroy()
      else this.#events.free(this, reader.keptAliveMs)
    })
  }

  /** The time begins again with each byte, in either direction. */
  #waitFor(ms: number): void {
    if (ms === this.#socket.timeout) return
    this.#socket.setTimeout(ms)
  }

  /** A server that breaks the protocol costs the connection, not the process. */
  #attempt(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.destroy(error as Error)
    }
  }
}
