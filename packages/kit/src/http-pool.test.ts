import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { selfSignedCertificate } from './certificate.ts'
import type { Answer, Request } from './http.ts'
import { httpClient } from './http-client.ts'
import { seededRandom } from './random.ts'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

type Listening = { readonly origin: string; readonly sockets: Set<Socket> }

async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  opened.push({ close })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

/** Starts a server that sends these bytes for each request, which is one packet here. `index`: the request's number on its connection. */
function answering(answer: (path: string, index: number) => string): Promise<Listening> {
  return listening(
    createServer((socket) => {
      let index = 0
      socket.on('data', (bytes) => socket.write(answer(String(bytes).split(' ')[1] ?? '', index++)))
    }),
  )
}

function open(origin: string, connections = 1, bytesMax = 10_000) {
  const client = httpClient({ origin, connections, bytesMax })
  opened.push(client)
  return client
}

const get = (path: string, more: Partial<Request> = {}): Request => ({
  method: 'GET',
  path,
  query: {},
  headers: {},
  body: { kind: 'none' },
  expect: 'whole',
  ...more,
})

const whole = (text: string, headers = '') =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${text.length}\r\n\r\n${text}`
const textOf = ({ body }: Answer) => (body.kind === 'json' ? JSON.stringify(body.value) : body)

it('gives each request its own answer or an error, with requests cancelled and connections cut at any moment', async () => {
  const random = seededRandom(7)
  const respond = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const [fate, half] = [random(), JSON.stringify({ path: incoming.url }).slice(0, 5)]
    const rest = JSON.stringify({ path: incoming.url }).slice(5)
    if (fate < 0.1) outgoing.setHeader('connection', 'close')
    setTimeout(() => {
      if (fate > 0.95) incoming.socket.destroy()
      else outgoing.write(half)
      setTimeout(() => (fate > 0.9 ? incoming.socket.resetAndDestroy() : outgoing.end(rest)), 5 * random())
    }, 10 * random())
  }
  const server = await listening(createHttpServer((incoming, outgoing) => respond(incoming, outgoing)))
  const client = open(server.origin, 4)
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`)
  const outcomes = await Promise.allSettled(
    paths.map(async (path) => {
      if (random() < 0.7) return client.transport(get(path))
      const stop = new AbortController()
      setTimeout(() => stop.abort(new Error('stopped')), 400 * random())
      return client.transport(get(path, { signal: stop.signal }))
    }),
  )
  const answers = outcomes.flatMap((outcome, index) =>
    outcome.status === 'fulfilled' ? [[paths[index], textOf(outcome.value)]] : [],
  )
  expect(answers).toEqual(answers.map(([path]) => [path, JSON.stringify({ path })]))
  expect(answers.length).toBeGreaterThan(100)
  await client.close()
  for (const socket of server.sockets) await once(socket, 'close')
})

it('does not take bytes that nobody asked for as the next answer', async () => {
  const [other, at] = [whole('"other"'), 30]
  const server = await answering((path, index) => {
    const own = whole(JSON.stringify(path))
    return index === 0 ? own + other.slice(0, at) : other.slice(at) + own
  })
  const client = open(server.origin)
  expect(textOf(await client.transport(get('/a')))).toBe('"/a"')
  expect(textOf(await client.transport(get('/b')))).toBe('"/b"')
})

it('opens a new connection after an answer that ends the last one', async () => {
  const ends = ['connection: close\r\n', 'keep-alive: timeout=1\r\n']
  const server = await answering((path) => whole(JSON.stringify(path), ends.pop()))
  const client = open(server.origin)
  const ports = new Set<number | undefined>()
  for (const path of ['/a', '/b', '/c', '/d']) {
    expect(textOf(await client.transport(get(path)))).toBe(JSON.stringify(path))
    for (const { remotePort } of server.sockets) ports.add(remotePort)
  }
  expect(ports.size).toBe(3)
})

it('serves those that wait after the connection before them has failed, and sends no cancelled request', async () => {
  const paths: string[] = []
  const server = await answering((path) => {
    paths.push(path)
    return path === '/hang' ? '' : whole(path === '/large' ? 'x'.repeat(20_000) : '"ok"')
  })
  const client = open(server.origin)
  const first = client.transport(get('/first'))
  const early = new AbortController()
  const cancelled = client.transport(get('/cancelled', { signal: early.signal })).catch(String)
  early.abort(new Error('stopped'))
  const stop = new AbortController()
  const call = (path: string) => client.transport(get(path, { signal: stop.signal })).catch(String)
  const stopped = [call('/hang'), call('/cancelled-too')]
  const large = client.transport(get('/large')).catch(String)
  const next = client.transport(get('/next'))
  setTimeout(() => stop.abort(new Error('stopped')), 20)
  expect((await first).status).toBe(200)
  expect(await Promise.all([cancelled, ...stopped])).toEqual(Array(3).fill('Error: stopped'))
  expect(await large).toContain('larger than')
  expect(textOf(await next)).toBe('"ok"')
  expect(paths).toEqual(['/first', '/hang', '/large', '/next'])
})

it('opens a new connection if the idle one was destroyed a moment ago', async () => {
  const server = await answering(() => whole('"ok"'))
  const client = open(server.origin, 2)
  await client.transport(get('/a'))
  await client.close()
  expect(textOf(await client.transport(get('/b')))).toBe('"ok"')
})

it('resumes the TLS session of its last connection', async () => {
  const { cert, key } = selfSignedCertificate(Date.now())
  const resumed: boolean[] = []
  const server = createHttpsServer({ cert, key }, (_, outgoing) => {
    outgoing.writeHead(200, { connection: 'close' }).end('"ok"')
  })
  server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()))
  const { origin } = await listening(server)
  const client = httpClient({ origin: origin.replace('http:', 'https:'), tls: { ca: cert } })
  opened.push(client)
  for (const path of ['/a', '/b', '/c']) expect((await client.transport(get(path))).status).toBe(200)
  expect(resumed).toEqual([false, true, true])
})

it('does not keep the process alive for an idle connection', async () => {
  const server = await answering(() => whole('"ok"'))
  const alive = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
  const client = open(server.origin)
  await client.transport(get('/a'))
  // The other end of the connection is the server's.
  expect([server.sockets.size, alive()]).toEqual([1, 1])
})

it.each([
  ['a header', { headers: { 'x-token': 's3cret\r\nx-other: 1' } }],
  ['the name of a header', { headers: { 'x\r\ny': 's3cret' } }],
  ['the path', { path: '/a b' }],
])('refuses a request with a character in %s that HTTP cannot send', async (_, more) => {
  const server = await answering(() => whole('"ok"'))
  const error = await open(server.origin).transport(get('/a', more)).catch(String)
  expect(error).toContain('has a character that HTTP cannot send')
  expect(error).not.toContain('s3cret')
  expect(server.sockets.size).toBe(0)
})
