// Sends probes to real servers on this host.
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, expect, test } from 'vitest'
import { reach } from './reach.ts'

let open: Server[] = []

afterEach(() => {
  for (const server of open) server.close()
  open = []
})

async function portOf(server: Server): Promise<number> {
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const clock = systemClock()
const http = (port: number) =>
  ({ is: 'http', scheme: 'http', host: '127.0.0.1', port, path: '/x', headers: { 'x-token': 'a' } }) as const
const tcp = (port: number) => ({ is: 'tcp', host: '127.0.0.1', port }) as const

test('HTTP: returns any status, and sends the headers', async () => {
  let seen: unknown
  const server = createServer(({ url, headers }, response) => {
    seen = [url, headers['x-token']]
    response.writeHead(503).end('no')
  })
  expect(await reach(http(await portOf(server)), 5_000, clock)).toEqual({ is: 'reached', status: 503 })
  expect(seen).toEqual(['/x', 'a'])
})

test('TCP: succeeds with a connection', async () => {
  const server = createTcpServer((socket) => socket.destroy())
  expect(await reach(tcp(await portOf(server)), 5_000, clock)).toEqual({ is: 'reached', status: undefined })
})

test('fails if no server listens', async () => {
  const server = createTcpServer()
  const port = await portOf(server)
  await new Promise((resolve) => server.close(resolve))
  expect(await reach(tcp(port), 5_000, clock)).toEqual({ is: 'failed', message: 'connection refused' })
  expect(await reach(http(port), 5_000, clock)).toEqual({ is: 'failed', message: 'connection refused' })
  expect(await reach({ ...http(port), path: '/a\nb' }, 5_000, clock)).toMatchObject({ is: 'failed' })
})

test('times out on a silent server, and fails if the server closes the connection', async () => {
  const silent = createTcpServer((socket) => socket.on('error', () => {}))
  expect(await reach(http(await portOf(silent)), 50, clock)).toEqual({ is: 'timed-out' })
  const rude = createTcpServer((socket) => socket.resetAndDestroy())
  expect(await reach(http(await portOf(rude)), 5_000, clock)).toMatchObject({ is: 'failed' })
})
