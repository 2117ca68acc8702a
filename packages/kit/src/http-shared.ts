// The connections to one server that carry one exchange after another. Exchanges wait for their turn if all are busy.
import { Connection, type Exchange } from './http-connection.ts'
import type { Opener, Server } from './http-open.ts'

/** The client closes a connection that was idle for longer, because the server may be about to close it. */
const idleMsMax = 15_000

export type SharedOptions = {
  readonly server: Server
  readonly opener: Opener
  /** The maximum number of connections that are open or being opened. */
  readonly connections: number
  /** The last connection is closed, and nothing waits. */
  empty(): void
}

export class SharedConnections {
  readonly #options: SharedOptions
  readonly #open = new Set<Connection>()
  /** The last one has been idle for the shortest time. */
  readonly #idle: Connection[] = []
  readonly #waiting: Exchange[] = []
  /** Connections that are open or being opened. */
  #count = 0

  constructor(options: SharedOptions) {
    this.#options = options
  }

  get server(): Server {
    return this.#options.server
  }

  carry(exchange: Exchange): void {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.isUsable) continue
      idle.carry(exchange)
      return
    }
    if (this.#count < this.#options.connections) this.#openFor(exchange)
    else this.#waiting.push(exchange)
  }

  close(error: Error): void {
    for (const exchange of this.#waiting.splice(0)) exchange.fail(error)
    for (const connection of this.#open) connection.destroy(error)
  }

  #openFor(exchange: Exchange): void {
    this.#count++
    const { opener, server } = this.#options
    opener.open(exchange, server, {
      opened: (socket) => {
        const connection = new Connection(socket, {
          free: (free, forMs) => this.#free(free, forMs),
          closed: (closed) => this.#closed(closed),
        })
        this.#open.add(connection)
        // An exchange may be cancelled while the dial opens its connection.
        if (exchange.isOver) this.#free(connection, idleMsMax)
        else connection.carry(exchange)
      },
      failed: (error) => {
        exchange.fail(error)
        this.#leave()
      },
    })
  }

  #free(connection: Connection, forMs: number): void {
    const next = this.#next()
    if (next) {
      connection.carry(next)
      return
    }
    this.#idle.push(connection)
    connection.rest(Math.min(forMs, idleMsMax))
  }

  #closed(connection: Connection): void {
    this.#open.delete(connection)
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
    this.#leave()
  }

  #leave(): void {
    this.#count--
    const next = this.#next()
    if (next) this.#openFor(next)
    else if (this.#count === 0) this.#options.empty()
  }

  /** Returns the exchange whose turn it is. Those that were cancelled while they waited are left out. */
  #next(): Exchange | undefined {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (!next.isOver) return next
    }
    return undefined
  }
}
