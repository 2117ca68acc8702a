import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { selfSignedCertificate } from './certificate.ts'
import { type Body, jsonAnswer, type Request, TransportError } from './http.ts'
import { type HttpClient, type HttpClientOptions, httpClient } from './http-client.ts'
import { type HttpHandler, httpServer } from './http-server.ts'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

async function against(handler: HttpHandler, options: HttpClientOptions = {}): Promise<HttpClient> {
  const server = await httpServer(handler)
  const client = httpClient({ origin: server.origin, ...options })
  opened.push(server, client)
  return client
}

/** Starts a server that calls `end` on each connection after the first bytes of a request, and a client for it. */
async function raw(
  end: (socket: Socket) => void,
  options: HttpClientOptions = {},
  scheme = 'http',
): Promise<HttpClient> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => end(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  const client = httpClient({ origin: `${scheme}://127.0.0.1:${port}`, ...options })
  opened.push({ close }, client)
  return client
}

const get = (more: Partial<Request> = {}): Request => ({
  method: 'GET',
  path: '/thing',
  query: {},
  headers: {},
  body: { kind: 'none' },
  expect: 'whole',
  ...more,
})

/** Reads the stream to its end. Returns its items, and the error that ended it, if any. */
async function drain(body: Body): Promise<{ readonly items: unknown[]; readonly error?: unknown }> {
  const items: unknown[] = []
  try {
    if (body.kind === 'events') for await (const item of body.items) items.push(item)
    else if (body.kind === 'bytes') for await (const chunk of body.chunks) items.push(String(chunk))
    else throw new Error(`no stream, but ${body.kind}`)
    return { items }
  } catch (error) {
    return { items, error }
  }
}

const failure = (kind: TransportError['kind']) => expect.objectContaining({ name: 'TransportError', kind })
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'

describe('a whole answer', () => {
  it('arrives unchanged, and so does its request', async () => {
    const client = await against(async (request) => jsonAnswer(201, request, { 'x-more': 'yes' }))
    const body = { kind: 'json', value: { text: 'Grüße\u2028' } } as const
    const query = { q: 'a b&c=d', empty: '' }
    const headers = { 'x-one': '1' }
    const answer = await client.transport(get({ method: 'PATCH', path: '/a%2Fb/../c', query, headers, body }))
    expect(answer).toMatchObject({ status: 201, headers: { 'x-more': 'yes' } })
    const { value } = answer.body as { value: Request }
    expect(value).toMatchObject({ method: 'PATCH', path: '/a%2Fb/../c', query, body })
    expect(value.headers).toMatchObject({ 'x-one': '1', 'content-type': 'application/json' })
  })

  it('is read from 400 on, even if the caller expects a stream', async () => {
    const client = await against(async () => jsonAnswer(410, { kind: 'Status' }))
    const { status, body } = await client.transport(get({ expect: 'events' }))
    expect({ status, body }).toEqual({ status: 410, body: { kind: 'json', value: { kind: 'Status' } } })
  })

  it('uses one of a limited number of connections', async () => {
    let running = 0
    let most = 0
    const client = await against(
      async () => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running--
        return jsonAnswer(200, {})
      },
      { connections: 3 },
    )
    await Promise.all(Array.from({ length: 20 }, () => client.transport(get())))
    expect(most).toBe(3)
  })

  it('does not wait for streams to end', async () => {
    const client = await against(
      async ({ path }) =>
        path === '/stream'
          ? { status: 200, headers: {}, body: { kind: 'events', items: endless() } }
          : jsonAnswer(200, {}),
      { connections: 1 },
    )
    const streams = await Promise.all([1, 2, 3].map(() => client.transport(get({ path: '/stream', expect: 'events' }))))
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await client.transport(get())).status).toBe(200)
  })

  it('counts as lost if it is cut or too large', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'
    const cut = await raw((socket) => socket.end(`${head}half`))
    await expect(cut.transport(get())).rejects.toEqual(failure('lost'))
    const large = await against(async () => jsonAnswer(200, 'x'.repeat(1_000)), { bytesMax: 500 })
    await expect(large.transport(get())).rejects.toEqual(failure('lost'))
    const nonsense = await raw((socket) => socket.end('hello\r\n\r\n'))
    await expect(nonsense.transport(get())).rejects.toEqual(failure('lost'))
    const reset = await raw((socket) => socket.resetAndDestroy())
    await expect(reset.transport(get())).rejects.toEqual(failure('lost'))
  })

  it('stops reading the answers of a server that are together too large, and reads those of another', async () => {
    let sent = 0
    const endless = async function* () {
      for (; sent < 300; sent++) yield 'x'.repeat(2 ** 20)
    }
    const stream: HttpHandler = async () => ({ status: 200, headers: {}, body: { kind: 'bytes', chunks: endless() } })
    const [evil, good] = [await httpServer(stream), await httpServer(async () => jsonAnswer(200, { is: 'good' }))]
    const client = httpClient({ bytesMax: 4 * 2 ** 20 })
    opened.push(evil, good, client)
    const to = ({ origin }: { readonly origin: string }) => client.transport(get({ origin }))
    const answers = await Promise.allSettled([to(evil), to(evil), to(evil), to(good)])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled'])
    expect(answers[0]).toMatchObject({ reason: { message: expect.stringContaining('larger than 4 MiB') } })
    expect(sent).toBeLessThan(100)
    expect(await to(good)).toMatchObject({ status: 200 })
  })

  it.each(['plain', 'TLS'])('counts as lost if the server cuts or cannot complete it (%s)', async (over) => {
    const { cert, key } = selfSignedCertificate(Date.now())
    const breaking = async function* () {
      yield 'half'
      throw new Error('no more')
    }
    const bodies: readonly Body[] = [
      { kind: 'cut', text: '' },
      { kind: 'cut', text: 'half' },
      { kind: 'bytes', chunks: breaking() },
    ]
    for (const body of bodies) {
      const answer = async () => ({ status: 200, headers: {}, body })
      const server = await httpServer(answer, over === 'TLS' ? { tls: { cert, key } } : {})
      const client = httpClient({ origin: server.origin, tls: { ca: cert } })
      opened.push(server, client)
      await expect(client.transport(get())).rejects.toEqual(failure('lost'))
    }
  })

  it('times out if it never begins', async () => {
    const silent = await raw(() => {}, { headersTimeoutMs: 50 })
    await expect(silent.transport(get())).rejects.toEqual(failure('timeout'))
  })

  it('comes over a new connection if the server has closed the idle one', async () => {
    const [connections, one]: [Socket[], HttpClientOptions] = [[], { connections: 1 }]
    const client = await raw((socket) => {
      connections.push(socket)
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
    }, one)
    for (let call = 1; call <= 3; call++) {
      expect((await client.transport(get())).status).toBe(200)
      const socket = connections.at(-1)!
      // A closed socket proves that the client has seen the end, too.
      const closed = once(socket, 'close')
      socket.resume().end()
      await closed
    }
    expect(connections).toHaveLength(3)
  })

  it('fails with a connect error if there is no server', async () => {
    const server = await httpServer(async () => jsonAnswer(200, {}))
    await server.close()
    const client = httpClient({ origin: server.origin })
    await expect(client.transport(get())).rejects.toEqual(failure('connect'))
    await expect(client.transport(get({ origin: 'http://nowhere.invalid' }))).rejects.toEqual(failure('connect'))
    await expect(httpClient().transport(get())).rejects.toEqual(failure('connect'))
  })

  it('fails with a connect error if the server resets the connection within the TLS handshake', async () => {
    const client = await raw((socket) => socket.resetAndDestroy(), {}, 'https')
    await expect(client.transport(get({ method: 'POST' }))).rejects.toEqual(failure('connect'))
  })
})

describe('a stream', () => {
  it('yields its lines, independent of where the chunks are cut', async () => {
    const lines = '{"a":"ü"}\n{"a":2}\n\n{"a":[3]}\n'
    const client = await raw(async (socket) => {
      socket.write(streamHead)
      for (const byte of Buffer.from(lines)) {
        socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]))
        if (byte === 0xc3) await new Promise((resolve) => setTimeout(resolve, 5))
      }
      socket.end('0\r\n\r\n')
    })
    const { body } = await client.transport(get({ expect: 'events' }))
    expect(await drain(body)).toEqual({ items: [{ a: 'ü' }, { a: 2 }, { a: [3] }] })
  })

  it('yields the lines before a break, within a line or between lines, and then the error', async () => {
    const ends: ((socket: Socket) => void)[] = [
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.destroy(),
      (socket) => socket.end(),
      (socket) => socket.end('0\r\n\r\n'),
      (socket) => socket.end('zz\r\n'),
    ]
    for (const [index, end] of ends.entries()) {
      for (const rest of ['{"b":', '']) {
        const inOrder = rest === '' && index === 3
        const client = await raw((socket) => {
          socket.write(streamHead + chunk('{"a":1}\n') + (rest && chunk(rest)), () => setTimeout(() => end(socket), 20))
        })
        const { body } = await client.transport(get({ expect: 'events' }))
        const { items, error } = await drain(body)
        expect(items).toEqual([{ a: 1 }])
        if (inOrder) expect(error).toBeUndefined()
        else expect(error, `end ${index}, rest ${rest}`).toEqual(failure('lost'))
      }
    }
  })

  it('counts as lost after a line that is not JSON', async () => {
    const client = await raw((socket) => socket.end(`${streamHead}${chunk('{"a":1}\nhello\n')}0\r\n\r\n`))
    const { body } = await client.transport(get({ expect: 'events' }))
    expect(await drain(body)).toEqual({ items: [{ a: 1 }], error: failure('lost') })
  })

  it('may be silent for longer than the timeout of an answer', async () => {
    const client = await raw(
      (socket) => {
        socket.write(streamHead)
        setTimeout(() => socket.end(`${chunk('{"a":1}\n')}0\r\n\r\n`), 150)
      },
      { headersTimeoutMs: 50 },
    )
    const { body } = await client.transport(get({ expect: 'events' }))
    expect(await drain(body)).toEqual({ items: [{ a: 1 }] })
  })

  it('leaves out the values of unread keys', async () => {
    const events = [{ metadata: { name: 'a', managedFields: [{ x: ['[{"'] }] } }, { managedFields: {}, b: 1 }]
    const list = async function* () {
      yield* events
    }
    const client = await against(async ({ path }) =>
      path === '/list'
        ? jsonAnswer(200, events)
        : { status: 200, headers: {}, body: { kind: 'events', items: list() } },
    )
    const expected = [{ metadata: { name: 'a', managedFields: [] } }, { managedFields: {}, b: 1 }]
    const unread = ['managedFields']
    const stream = await client.transport(get({ expect: 'events', unread }))
    expect(await drain(stream.body)).toEqual({ items: expected })
    const whole = await client.transport(get({ path: '/list', unread }))
    expect(whole.body).toEqual({ kind: 'json', value: expected })
  })

  it('holds the server back while its reader pauses, and loses no item', async () => {
    let produced = 0
    const text = 'x'.repeat(10_000)
    const many = async function* () {
      for (; produced < 5_000; produced++) yield { text, produced }
    }
    const client = await against(async () => ({ status: 200, headers: {}, body: { kind: 'events', items: many() } }))
    const { body } = await client.transport(get({ expect: 'events' }))
    if (body.kind !== 'events') throw new Error('no stream')
    let read = 0
    for await (const item of body.items) {
      expect((item as { produced: number }).produced).toBe(read++)
      if (read === 10) {
        await new Promise((resolve) => setTimeout(resolve, 300))
        expect(produced).toBeLessThan(3_000)
      }
    }
    expect(read).toBe(5_000)
  })
})

describe('an abort', () => {
  it("ends a call before, during and after its answer with the signal's reason", async () => {
    const client = await against(async ({ path }) => {
      if (path === '/hang') await new Promise(() => {})
      return { status: 200, headers: {}, body: { kind: 'events', items: endless() } }
    })
    const reason = new Error('enough')
    await expect(client.transport(get({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
    for (const path of ['/hang', '/stream']) {
      const controller = new AbortController()
      const call = client
        .transport(get({ path, expect: 'events', signal: controller.signal }))
        .then(({ body }) => drain(body))
      setTimeout(() => controller.abort(reason), 50)
      const outcome = await call.catch((error: unknown) => ({ error }))
      expect(outcome.error).toBe(reason)
    }
  })

  it('ends a stream that has no reader yet', async () => {
    const client = await against(async () => ({ status: 200, headers: {}, body: { kind: 'events', items: endless() } }))
    const controller = new AbortController()
    const reason = new Error('enough')
    const { body } = await client.transport(get({ expect: 'events', signal: controller.signal }))
    controller.abort(reason)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await drain(body)).error).toBe(reason)
  })

  it("ends the server's request, too, if the reader stops", async () => {
    const signals: AbortSignal[] = []
    const client = await against(async ({ signal }) => {
      if (signal) signals.push(signal)
      return { status: 200, headers: {}, body: { kind: 'events', items: endless() } }
    })
    const { body } = await client.transport(get({ expect: 'events' }))
    if (body.kind === 'events') for await (const _ of body.items) break
    await once(signals[0] as AbortSignal, 'abort')
  })

  it('ends every call and stream when the client closes', async () => {
    const client = await against(async ({ path }) => {
      if (path === '/hang') await new Promise(() => {})
      return { status: 200, headers: {}, body: { kind: 'events', items: endless() } }
    })
    const hanging = client.transport(get({ path: '/hang' })).catch((error: unknown) => error)
    const { body } = await client.transport(get({ expect: 'events' }))
    const stream = drain(body)
    await client.close()
    expect(await hanging).toBeInstanceOf(TransportError)
    expect((await stream).error).toBeInstanceOf(TransportError)
  })
})

async function* endless(): AsyncGenerator<unknown> {
  for (;;) {
    yield { alive: true }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

it('sends every value of a repeated parameter, and the server reports all of them', async () => {
  const client = await against(async ({ query, repeated }) => jsonAnswer(200, { query, repeated }))
  const query = { command: 'c', other: '1' }
  const { body } = await client.transport(get({ query, repeated: { command: ['a b', '&', 'c'] } }))
  expect(body).toEqual({ kind: 'json', value: { query, repeated: { command: ['a b', '&', 'c'] } } })
})

it('sends a request that a proxy passes on with one host, one connection and one length', async () => {
  const seen: string[] = []
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      seen.push(String(bytes))
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = httpClient({ origin: `http://127.0.0.1:${(server.address() as { port: number }).port}` })
  opened.push(server, client)
  const headers = { host: 'elsewhere:1', connection: 'close', 'transfer-encoding': 'chunked', 'content-length': '9' }
  await client.transport(get({ method: 'POST', headers, body: { kind: 'text', text: 'Grüße' } }))
  const expected = [
    'POST /thing HTTP/1.1',
    'host: elsewhere:1',
    'connection: keep-alive',
    'content-length: 7',
    '',
    'Grüße',
  ]
  expect(seen.join('').split('\r\n')).toEqual(expected)
})
