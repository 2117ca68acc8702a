// All connections of an HTTP client: those that the exchanges of a server share, and one for each stream.
import { Connection, type Exchange } from './http-connection.ts'
import { Opener, type OpenOptions, type Server } from './http-open.ts'
import { SharedConnections } from './http-shared.ts'

export type PoolOptions = OpenOptions & {
  /** The maximum number of connections to one server, without those of streams. */
  readonly connections: number
}

export class Pool {
  readonly #connections: number
  readonly #opener: Opener
  /** The key is the server's origin. A server without a connection has no entry. */
  readonly #shared = new Map<string, SharedConnections>()
  readonly #streams = new Set<Connection>()

  constructor({ connections, ...options }: PoolOptions) {
    this.#connections = connections
    this.#opener = new Opener(options)
  }

  server(origin: string): Server {
    return this.#shared.get(origin)?.server ?? this.#opener.server(origin)
  }

  /** Carries the exchange on an idle connection or a new one; if all are busy, it waits for its turn. */
  carry(exchange: Exchange, server: Server): void {
    const { origin } = server
    let shared = this.#shared.get(origin)
    if (!shared) {
      const empty = () => this.#shared.delete(origin)
      shared = new SharedConnections({ server, opener: this.#opener, connections: this.#connections, empty })
      this.#shared.set(origin, shared)
    }
    shared.carry(exchange)
  }

  /** Carries the exchange on a connection of its own, which is closed after it. */
  carryAlone(exchange: Exchange, server: Server): void {
    this.#opener.open(exchange, server, {
      opened: (socket) => {
        const connection = new Connection(socket, {
          free: (free) => free.destroy(new Error('the stream has ended')),
          closed: (closed) => this.#streams.delete(closed),
        })
        this.#streams.add(connection)
        if (exchange.isOver) connection.destroy(new Error('the request was cancelled'))
        else connection.carry(exchange)
      },
      failed: (error) => exchange.fail(error),
    })
  }

  /** Ends every exchange, and closes every connection. */
  close(): void {
    const error = new Error('the client was closed')
    this.#opener.close(error)
    for (const shared of this.#shared.values()) shared.close(error)
    for (const connection of this.#streams) connection.destroy(error)
  }
}
