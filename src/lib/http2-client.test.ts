import { once } from 'node:events'
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { selfSignedCertificate } from '../embedded/wire/certificate.ts'
import { jsonAnswer, type TransportError } from './http.ts'
import { drain, failure, get } from './http-client.fixture.ts'
import { type HttpClient, type HttpClientOptions, httpClient } from './http-client.ts'
import { httpServer } from './http-server.ts'

const { cert, key } = selfSignedCertificate(Date.now())
const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

type Serve = (stream: ServerHttp2Stream, path: string) => void

/** Starts an HTTP/2 server and a client for it. Returns the client, and every connection that the server has seen. */
async function against(serve: Serve, client: HttpClientOptions = {}, server: SecureServerOptions = {}) {
  const sessions: ServerHttp2Session[] = []
  const listener: Http2SecureServer = createSecureServer({ cert, key, ...server })
  listener.on('session', (session) => sessions.push(session.on('error', () => {})))
  listener.on('stream', (stream, headers) =>
    serve(
      stream.on('error', () => {}),
      String(headers[':path']),
    ),
  )
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const close = () => {
    for (const session of sessions) session.destroy()
    listener.close()
  }
  opened.push({ close })
  return { sessions, client: open(listener, client) }
}

function open(server: { address(): unknown }, options: HttpClientOptions = {}): HttpClient {
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = httpClient({ origin, tls: { ca: cert }, http2: true, ...options })
  opened.push(client)
  return client
}

const answer = (stream: ServerHttp2Stream, value: unknown, status = 200) => {
  stream.respond({ ':status': status, 'content-type': 'application/json' })
  stream.end(`${JSON.stringify(value)}\n`)
}
const ok: Serve = (stream) => answer(stream, {})
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('over HTTP/2', () => {
  it('a request and its answer arrive unchanged', async () => {
    const { client } = await against(async (stream, path) => {
      let text = ''
      for await (const chunk of stream) text += chunk
      answer(stream, { path, text }, 201)
    })
    const body = { kind: 'json', value: { text: 'Grüße' } } as const
    const request = get({ method: 'POST', path: '/a%2Fb', query: { q: 'c d' }, headers: { 'x-one': '1' }, body })
    const { status, headers, body: answered } = await client.transport(request)
    expect({ status, answered }).toEqual({
      status: 201,
      answered: { kind: 'json', value: { path: '/a%2Fb?q=c+d', text: '{"text":"Grüße"}' } },
    })
    expect(headers).toMatchObject({ 'content-type': 'application/json' })
    expect(Object.keys(headers).some((name) => name.startsWith(':'))).toBe(false)
  })

  it('requests share a connection, and those beyond the limit of the server get another one', async () => {
    const held: ServerHttp2Stream[] = []
    const together: Serve = (stream) => {
      held.push(stream)
      if (held.length === 25) for (const each of held.splice(0)) answer(each, {})
    }
    const { client, sessions } = await against(together, {}, { settings: { maxConcurrentStreams: 10 } })
    await Promise.all(Array.from({ length: 25 }, () => client.transport(get())))
    expect(sessions).toHaveLength(3)
    await Promise.all(Array.from({ length: 25 }, () => client.transport(get())))
    expect(sessions).toHaveLength(3)
  })

  it('answers that arrive together with their ends are read whole', async () => {
    const held: ServerHttp2Stream[] = []
    const { client } = await against((stream, path) => {
      if (held.push(stream) === 90) for (const each of held.splice(0)) answer(each, { path })
    })
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 90 }, () => client.transport(get())))
      for (const { body } of answers) expect(body).toEqual({ kind: 'json', value: { path: '/thing' } })
      const streams = await Promise.all(Array.from({ length: 90 }, () => client.transport(get({ expect: 'events' }))))
      for (const { body } of streams) expect(await drain(body)).toEqual({ items: [{ path: '/thing' }] })
    }
  })

  it('a server without HTTP/2 is asked over HTTP/1.1', async () => {
    const server = await httpServer(async ({ path }) => jsonAnswer(200, path), { tls: { cert, key } })
    opened.push(server)
    const client = httpClient({ origin: server.origin, tls: { ca: cert }, http2: true })
    opened.push(client)
    const answers = await Promise.all([1, 2, 3].map(() => client.transport(get())))
    expect(answers.map(({ body }) => body)).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'json', value: '/thing' })),
    )
  })

  it.each<[string, Serve, TransportError['kind']]>([
    ['resets the stream before its head', (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR), 'lost'],
    ['says that it has not begun', (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM), 'connect'],
    ['closes the connection', (stream) => stream.session?.destroy(), 'lost'],
    [
      'cuts the answer',
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write('half', () => stream.destroy(new Error('cut')))
      },
      'lost',
    ],
    [
      'closes the connection within the answer',
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write('half', () => setTimeout(() => stream.session?.destroy(), 20))
      },
      'lost',
    ],
  ])('a request whose server %s fails, and the next one succeeds', async (_name, serve, kind) => {
    let first = true
    const { client } = await against((stream, path) => {
      if (first) serve(stream, path)
      else ok(stream, path)
      first = false
    })
    await expect(client.transport(get())).rejects.toEqual(failure(kind))
    expect((await client.transport(get())).status).toBe(200)
  })

  it('a connection that the server gives up ends its requests, and takes no new one', async () => {
    const held: ServerHttp2Stream[] = []
    const { client, sessions } = await against((stream, path) =>
      path === '/held' ? held.push(stream) : ok(stream, path),
    )
    await client.transport(get())
    const running = client.transport(get({ path: '/held' }))
    await expect.poll(() => held.length).toBe(1)
    sessions[0]?.close()
    await pause(50)
    expect((await client.transport(get())).status).toBe(200)
    expect(sessions).toHaveLength(2)
    for (const stream of held) answer(stream, { late: true })
    expect((await running).body).toEqual({ kind: 'json', value: { late: true } })
  })

  it.each<[string, HttpClientOptions, boolean]>([
    ['times out', { headersTimeoutMs: 100 }, false],
    ['is aborted', {}, true],
  ])('a request that %s on a silent connection leaves it to no other', async (_name, options, abort) => {
    let silent = true
    const { client, sessions } = await against((stream, path) => {
      if (!silent) ok(stream, path)
    }, options)
    const reason = new Error('enough')
    const signal = abort ? AbortSignal.abort(reason) : undefined
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 100)
    const call = client.transport(get(abort ? { signal: controller.signal } : {}))
    await expect(call).rejects.toEqual(abort ? reason : failure('timeout'))
    if (signal) await expect(client.transport(get({ signal }))).rejects.toBe(reason)
    silent = false
    expect((await client.transport(get())).status).toBe(200)
    expect(sessions).toHaveLength(2)
  })

  it('an aborted request ends at the server, and a connection that answers others stays in use', async () => {
    const ended: number[] = []
    const { client, sessions } = await against((stream, path) => {
      if (path !== '/hang') return ok(stream, path)
      stream.on('close', () => ended.push(stream.rstCode))
    })
    const controller = new AbortController()
    const reason = new Error('enough')
    const hanging = client.transport(get({ path: '/hang', signal: controller.signal })).catch((error: unknown) => error)
    await pause(50)
    await client.transport(get())
    controller.abort(reason)
    expect(await hanging).toBe(reason)
    await expect.poll(() => ended).toEqual([constants.NGHTTP2_CANCEL])
    await client.transport(get())
    expect(sessions).toHaveLength(1)
  })

  it('fails with a connect error without a server, and with a certificate error if it does not trust it', async () => {
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const nobody = open(gone)
    await new Promise((resolve) => gone.close(resolve))
    await expect(nobody.transport(get())).rejects.toEqual(failure('connect'))
    const server = createSecureServer({ cert, key }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    opened.push(server)
    await expect(open(server, { tls: {} }).transport(get())).rejects.toEqual(failure('certificate'))
  })

  it('an abort ends a request whose connection is still opening', async () => {
    const deaf = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await once(deaf, 'listening')
    opened.push(deaf)
    const controller = new AbortController()
    const reason = new Error('enough')
    setTimeout(() => controller.abort(reason), 50)
    await expect(open(deaf).transport(get({ signal: controller.signal }))).rejects.toBe(reason)
  })

  it('the close of the client ends every call and stream', async () => {
    const { client } = await against((stream, path) => {
      if (path === '/stream') stream.respond({ ':status': 200 })
    })
    const hanging = client.transport(get()).catch((error: unknown) => error)
    const { body } = await client.transport(get({ path: '/stream', expect: 'events' }))
    const drained = drain(body)
    await client.close()
    expect(await hanging).toEqual(failure('lost'))
    expect((await drained).error).toEqual(failure('lost'))
  })
})

describe('a stream over HTTP/2', () => {
  it('yields its lines, may be silent, and breaks with an error', async () => {
    const { client } = await against(
      async (stream) => {
        stream.respond({ ':status': 200 })
        stream.write('{"a":1}\n{"a"')
        await pause(150)
        stream.write(':2}\n')
        await pause(20)
        stream.destroy(new Error('cut'))
      },
      { headersTimeoutMs: 50 },
    )
    const { body } = await client.transport(get({ expect: 'events' }))
    expect(await drain(body)).toEqual({ items: [{ a: 1 }, { a: 2 }], error: failure('lost') })
  })

  it('holds its server back, and no other stream, while its reader pauses', async () => {
    let written = 0
    const line = `${JSON.stringify({ text: 'x'.repeat(10_000) })}\n`
    const { client } = await against(async (stream, path) => {
      stream.respond({ ':status': 200 })
      if (path === '/short') stream.end('{"short":true}\n')
      else for (; written < 3_000; written++) if (!stream.write(line)) await once(stream, 'drain')
      stream.end()
    })
    const { body } = await client.transport(get({ path: '/long', expect: 'events' }))
    if (body.kind !== 'events') throw new Error('no stream')
    let read = 0
    for await (const _ of body.items) {
      if (++read !== 10) continue
      await pause(300)
      expect(written).toBeLessThan(1_500)
      const short = await client.transport(get({ path: '/short', expect: 'events' }))
      expect(await drain(short.body)).toEqual({ items: [{ short: true }] })
    }
    expect(read).toBe(3_000)
  })

  it('ends at the server when its reader stops', async () => {
    let ended = false
    const { client } = await against((stream) => {
      stream.respond({ ':status': 200 })
      stream.write('{"a":1}\n')
      stream.on('close', () => {
        ended = true
      })
    })
    const { body } = await client.transport(get({ expect: 'events' }))
    if (body.kind === 'events') for await (const _ of body.items) break
    await expect.poll(() => ended).toBe(true)
  })
})
