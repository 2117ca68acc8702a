// Finds free ports of 127.0.0.1.
import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** Finds free ports. It holds them open together, so that all are different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)))
  const found = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  })
  await Promise.all(servers.map(close))
  return found
}

/** Finds a free port that no outgoing connection takes, so that a server which stops finds its port free again: it is below Linux' range for them. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const server = await listen(port).catch(() => undefined)
    if (!server) continue
    await close(server)
    return port
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function close(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve))
}
