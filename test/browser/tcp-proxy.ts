// A network between page and server that a test cuts and repairs.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  readonly origin: string
  /** Ends each connection, and refuses new ones. */
  readonly cut: () => void
  readonly repair: () => void
  readonly close: () => Promise<void>
}

/** @param to the origin of the server */
export async function openProxy(to: string): Promise<TcpProxy> {
  const port = Number(new URL(to).port)
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket)
      // The other side of a connection that ended has nothing left to say.
      const end = () => {
        near.destroy()
        far.destroy()
      }
      socket.on('error', end).on('close', end)
      socket.on('close', () => open.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    repair: () => {
      isCut = false
    },
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
