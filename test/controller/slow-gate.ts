// A TCP relay before a server: it adds latency to every byte, and a test can take the server off the network and bring it back.
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface SlowGate {
  readonly port: number
  /** Refuses new connections and cuts the open ones. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

/** @param latencyMs the latency of one exchange: half for the request, half for the answer */
export async function openSlowGate(target: number, latencyMs: number): Promise<SlowGate> {
  const sockets = new Set<Socket>()
  const relay = (incoming: Socket) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    pass(incoming, outgoing, latencyMs / 2)
    pass(outgoing, incoming, latencyMs / 2)
  }
  let server = await listen(relay, 0)
  const { port } = server.address() as { readonly port: number }
  const down = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    port,
    down,
    up: async () => {
      server = await listen(relay, port)
    },
    close: async () => {
      if (server.listening) await down()
    },
  }
}

function listen(relay: (socket: Socket) => void, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(relay).on('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Timers of one length run in the order in which they were set, so that the bytes stay in order. */
function pass(from: Socket, to: Socket, ms: number): void {
  from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), ms))
  // The bytes on their way arrive before the end of the connection, however it ended.
  from.on('close', () => setTimeout(() => to.end(), ms))
}
