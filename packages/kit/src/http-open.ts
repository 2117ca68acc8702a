// Opens the connections of the HTTP client: direct, or through the dial of a forward proxy or a private certificate authority.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecure, type SecureContext, TLSSocket } from 'node:tls'
import type { Dial, DialTarget } from './dial.ts'
import { TransportError } from './http.ts'
import { type Exchange, OpenError } from './http-connection.ts'
import { serverName } from './server-name.ts'

export type OpenOptions = {
  /** Returns the certificates of all connections. The first https connection calls it. */
  readonly context: () => SecureContext
  readonly tls: { readonly servername?: string | undefined; readonly rejectUnauthorized?: boolean | undefined }
  readonly dial: Dial | undefined
}

/** A server, and how requests to it begin. */
export type Server = {
  readonly origin: string
  readonly isSecure: boolean
  readonly target: DialTarget
  /** The value of the header `host`. */
  readonly host: string
  /** The prefix of the path, and the headers, for a forward proxy. */
  readonly line: ReturnType<Dial['line']>
}

export type Opened = { opened(socket: Socket): void; failed(error: Error): void }

/** Number of servers whose TLS session is kept. */
const sessionsMax = 100

export class Opener {
  readonly #options: OpenOptions
  /** The last TLS session of each origin. A connection that resumes it needs no certificate. */
  readonly #sessions = new Map<string, Buffer>()
  /** The exchanges that wait until the dial has opened a connection. */
  readonly #waiting = new Set<Exchange>()

  constructor(options: OpenOptions) {
    this.#options = options
  }

  server(origin: string): Server {
    const { tls, dial } = this.#options
    const url = new URL(origin)
    const isSecure = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = Number(url.port) || (isSecure ? 443 : 80)
    const target = { host, port, ...(isSecure ? secureOptions(host, tls) : {}) }
    return { origin, isSecure, target, host: url.host, line: dial?.line(origin) }
  }

  /** Calls back at once with a socket that may still be connecting, or later. */
  open(exchange: Exchange, server: Server, { opened, failed }: Opened): void {
    this.#waiting.add(exchange)
    const finish = (error: Error | null, socket?: Socket) => {
      this.#waiting.delete(exchange)
      if (socket) opened(socket)
      else failed(error instanceof TransportError ? error : new OpenError(error ?? new Error('no connection')))
    }
    let socket: Socket | undefined
    try {
      socket = this.#connect(server, finish)
    } catch (error) {
      finish(error as Error)
    }
    if (socket) finish(null, socket)
  }

  close(error: Error): void {
    for (const exchange of this.#waiting) exchange.fail(error)
  }

  #connect(
    { origin, isSecure, target }: Server,
    done: (error: Error | null, socket?: Socket) => void,
  ): Socket | undefined {
    const { dial, context } = this.#options
    if (!isSecure) {
      const { host = '', port } = target
      return dial ? dial.plain(target, done) : connectPlain({ host, port: Number(port) })
    }
    const session = this.#sessions.get(origin)
    const options = { ...target, secureContext: context(), ...(session ? { session } : {}) }
    const socket = dial ? dial.secure(options, done) : connectSecure(options)
    if (socket instanceof TLSSocket) {
      socket.on('session', (session) => this.#keep(origin, session))
      socket.once('error', () => this.#sessions.delete(origin))
    }
    return socket
  }

  #keep(origin: string, session: Buffer): void {
    if (this.#sessions.size >= sessionsMax) this.#sessions.clear()
    this.#sessions.set(origin, session)
  }
}

function secureOptions(host: string, { servername, rejectUnauthorized }: OpenOptions['tls']) {
  return {
    ...(servername === undefined ? serverName(host) : { servername }),
    ALPNProtocols: ['http/1.1'],
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  }
}
