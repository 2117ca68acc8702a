// The WebSocket codec over real sockets: every shape of a frame, hostile clients, and clients that are gone.
import { afterEach, expect, test } from 'vitest'
import { type MessageStream, textAnswer } from './http.ts'
import { type HttpServer, httpServer } from './http-server.ts'
import { systemClock } from './system.ts'
import { type Frame, opcodes, type RawClient, rawClient } from './web-socket.fixture.ts'
import { messageBytesMax, webSocketUpgrade } from './web-socket.ts'

const clock = systemClock()
const servers: HttpServer[] = []
const clients: RawClient[] = []

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.close()
})

/** Serves every WebSocket with `serve`, and refuses other requests with a 404. */
async function open(serve: (stream: MessageStream) => Promise<void>) {
  const errors: unknown[] = []
  const server = await httpServer(
    async ({ headers, path }) =>
      headers['upgrade'] === 'websocket' && path === '/'
        ? { status: 101, headers: {}, body: { kind: 'messages', protocol: 'two', serve } }
        : textAnswer(404, 'nothing here\n'),
    { upgrade: webSocketUpgrade, onError: (error) => errors.push(error) },
  )
  servers.push(server)
  const client = (...given: [Readonly<Record<string, string>>?, string?]) => {
    const made = rawClient(server.port, { 'sec-websocket-protocol': 'one, two', ...given[0] }, given[1])
    clients.push(made)
    return made
  }
  return { server, client, errors }
}

async function until(isTrue: () => boolean, ms = 10_000): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 10) {
    if (waited > ms) throw new Error(`never true: ${isTrue}`)
    await clock.sleep(10)
  }
}

async function echo({ messages, send }: MessageStream): Promise<void> {
  for await (const message of messages) await send(message)
}

const binary = (payload: Uint8Array, more: Partial<Frame> = {}): Frame => ({ opcode: opcodes.binary, payload, ...more })
const answers = (client: RawClient) => client.frames().filter(({ opcode }) => opcode === opcodes.binary)

test('the handshake chooses the subprotocol of the answer', async () => {
  const { client } = await open(echo)
  const head = await client().head
  expect(head).toMatch(/^HTTP\/1\.1 101 /)
  expect(head.toLowerCase()).toContain('sec-websocket-protocol: two')
  // The value for this key is an example of RFC 6455.
  expect(head).toContain('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
})

test.each([0, 1, 125, 126, 65_535, 65_536, messageBytesMax])('a message of %i bytes arrives whole', async (size) => {
  const { client } = await open(echo)
  const one = client()
  const payload = Buffer.alloc(size, 'abc')
  one.send(binary(payload))
  await until(() => answers(one).length === 1)
  expect(answers(one)[0]?.payload.equals(payload)).toBe(true)
})

test('fragments are one message, also with a ping between them and in pieces of one byte', async () => {
  const { client } = await open(echo)
  const one = client()
  await one.head
  one.socket.setNoDelay(true)
  one.send(
    binary(Buffer.from('a'), { fin: false }),
    { opcode: opcodes.ping, payload: Buffer.from('p') },
    { opcode: opcodes.continuation, payload: new Uint8Array(), fin: false },
    { opcode: opcodes.continuation, payload: Buffer.from('b') },
    { opcode: opcodes.text, payload: Buffer.from('text') },
  )
  await until(() => answers(one).length === 2)
  expect(answers(one).map(({ payload }) => payload.toString())).toEqual(['ab', 'text'])
  expect(
    one
      .frames()
      .find(({ opcode }) => opcode === opcodes.pong)
      ?.payload.toString(),
  ).toBe('p')
})

test('the end of the service closes with 1000, and its error with 1011', async () => {
  const { client, errors } = await open(async ({ messages, send }) => {
    for await (const message of messages) {
      if (message[0] === 1) throw new Error('broken')
      await send(Buffer.from('bye'))
      return
    }
  })
  const [good, bad] = [client(), client()]
  good.send(binary(Buffer.from([0])))
  bad.send(binary(Buffer.from([1])))
  await until(() => good.closeCode() === 1000 && bad.closeCode() === 1011)
  expect(answers(good).map(({ payload }) => payload.toString())).toEqual(['bye'])
  expect(errors).toEqual([new Error('broken')])
})

const hostile: readonly (readonly [string, readonly Frame[], number])[] = [
  ['a message above the limit', [binary(Buffer.alloc(messageBytesMax + 1))], 1009],
  ['fragments above the limit', Array.from({ length: 20 }, (_, index) => fragment(index, 65_536)), 1009],
  ['many empty fragments', Array.from({ length: 20_000 }, (_, index) => fragment(index, 0)), 1008],
  ['a frame without a mask', [binary(Buffer.from('a'), { masked: false })], 1002],
  ['a reserved bit', [binary(Buffer.from('a'), { reserved: 4 })], 1002],
  ['an unknown opcode', [{ opcode: 5 }], 1002],
  ['a continuation of nothing', [{ opcode: opcodes.continuation }], 1002],
  ['a new message inside a message', [binary(Buffer.from('a'), { fin: false }), binary(Buffer.from('b'))], 1002],
  ['a ping in fragments', [{ opcode: opcodes.ping, fin: false }], 1002],
  ['a ping that is too long', [{ opcode: opcodes.ping, payload: Buffer.alloc(126) }], 1002],
  ['text that is not UTF-8', [{ opcode: opcodes.text, payload: Buffer.from([0xff, 0xfe]) }], 1007],
  ['a close with half a code', [{ opcode: opcodes.close, payload: Buffer.from([3]) }], 1002],
]

function fragment(index: number, size: number): Frame {
  return { opcode: index === 0 ? opcodes.binary : opcodes.continuation, payload: Buffer.alloc(size), fin: false }
}

test.each(hostile)('%s ends the stream', async (_, frames, code) => {
  let taken = 0
  let isGone = false
  const { client, errors } = await open(async ({ messages, gone }) => {
    for await (const _ of messages) taken++
    isGone = gone.aborted
  })
  const one = client()
  one.send(...frames)
  await until(() => one.closeCode() === code)
  await until(() => isGone)
  expect([taken, errors]).toEqual([0, []])
})

test('a length of 2^63 bytes and junk end the stream', async () => {
  let ends = 0
  const { client } = await open(async ({ messages }) => {
    for await (const _ of messages);
    ends++
  })
  for (const bytes of [Buffer.from('82ffffffffffffffffff01020304', 'hex'), Buffer.alloc(5_000, 'junk')]) {
    const one = client()
    await one.head
    one.socket.write(bytes)
  }
  await until(() => ends === 2)
})

test.each([
  ['without a key', { 'sec-websocket-key': '' }],
  ['with a short key', { 'sec-websocket-key': 'abc' }],
  ['of version 7', { 'sec-websocket-version': '7' }],
  ['with an empty subprotocol', { 'sec-websocket-protocol': 'one,,two' }],
])('a handshake %s is refused', async (_, headers) => {
  let served = 0
  const { client } = await open(async () => {
    served++
  })
  const one = client(headers)
  expect(await one.head).toMatch(/^HTTP\/1\.1 400 /)
  await one.closed
  expect(served).toBe(0)
})

test('other answers to a request that asks for an upgrade are sent, and the connection ends', async () => {
  const { client } = await open(echo)
  const one = client({}, 'GET /elsewhere')
  expect(await one.head).toMatch(/^HTTP\/1\.1 404 /)
  await one.closed
  const two = client({ upgrade: 'h2c' }, 'HEAD /')
  expect(await two.head).toMatch(/^HTTP\/1\.1 404 /)
  await two.closed
  const three = client({ 'content-length': '3' }, 'POST /')
  expect(await three.head).toMatch(/^HTTP\/1\.1 400 /)
  await three.closed
})

test('a server without upgrades answers as if the client had not asked', async () => {
  const server = await httpServer(async ({ body }) => textAnswer(200, body.kind === 'json' ? 'whole' : ''))
  servers.push(server)
  const one = rawClient(server.port, { 'content-length': '2', 'content-type': 'application/json' }, 'POST /')
  clients.push(one)
  one.socket.write('{}')
  expect(await one.head).toMatch(/^HTTP\/1\.1 200 /)
})

test('a client that ends or cuts its connection is gone, and so is every client when the server closes', async () => {
  let gone = 0
  const { client, server } = await open(async (stream) => {
    stream.gone.addEventListener('abort', () => gone++)
    for await (const _ of stream.messages);
  })
  const [polite, ended, cut, last] = [client(), client(), client(), client()] as const
  await Promise.all([polite, ended, cut, last].map(({ head }) => head))
  polite.send({ opcode: opcodes.close, payload: Buffer.from([3, 232]) })
  ended.socket.end()
  cut.socket.resetAndDestroy()
  await until(() => gone === 3)
  await server.close()
  servers.splice(0)
  await until(() => gone === 4)
})

test('a client that does not answer the close is cut', async () => {
  const { client } = await open(async () => {})
  const one = client()
  await until(() => one.closeCode() === 1000)
  expect(one.socket.closed).toBe(false)
  await one.closed
})

test('messages that nobody takes stop the reading, and a client that goes away meanwhile is noticed', async () => {
  let isGone = false
  const { client } = await open(async (stream) => {
    stream.gone.addEventListener('abort', () => {
      isGone = true
    })
    await new Promise(() => {})
  })
  const one = client()
  await one.head
  let written = 0
  const frame = binary(Buffer.alloc(64 * 1024))
  const write = () => {
    for (; written < 2_000; written++) {
      if (!one.socket.writable) return
      one.send(frame)
      if (one.socket.writableLength > 0) return
    }
  }
  one.socket.on('drain', write)
  write()
  await clock.sleep(500)
  const before = written
  await clock.sleep(500)
  expect(written).toBe(before)
  // The buffers of the kernel hold a few megabytes.
  expect(written * 64 * 1024).toBeLessThan(64 * 1024 * 1024)
  expect(isGone).toBe(false)
  one.socket.destroy()
  await until(() => isGone)
}, 30_000)

test('a client that reads nothing stops the sending', async () => {
  let sent = 0
  let isGone = false
  const { client } = await open(async ({ send, gone }) => {
    while (!gone.aborted) {
      await send(Buffer.alloc(64 * 1024))
      sent++
    }
    isGone = true
  })
  const one = client()
  one.socket.pause()
  await clock.sleep(500)
  const before = sent
  await clock.sleep(500)
  expect(sent).toBe(before)
  expect(sent * 64 * 1024).toBeLessThan(64 * 1024 * 1024)
  one.socket.destroy()
  await until(() => isGone)
}, 30_000)
