import { rootCertificates } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { selfSignedCertificate } from './certificate.ts'
import { type ForwardProxy, type ForwardProxyOptions, forwardProxy } from './forward-proxy.fixture.ts'
import { jsonAnswer, noBody, type Request } from './http.ts'
import { type HttpHandler, type HttpServer, httpServer } from './http-server.ts'
import { type OutboundOptions, outboundClient } from './outbound.ts'
import { configuredProxy } from './proxy.ts'
import { certificatesIn, trustStore } from './trust.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

const certificate = selfSignedCertificate(Date.now())
const credential = { username: 'joe', password: 's3cret' }
const slow = { latencyMs: 60 }

async function server(tls = true, handler: HttpHandler = async ({ path }) => jsonAnswer(200, { path })) {
  const serving = await httpServer(handler, tls ? { tls: certificate } : {})
  opened.push(serving)
  return serving
}

async function proxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const proxying = await forwardProxy({ ...slow, ...options })
  opened.push(proxying)
  return proxying
}

function client(options: Partial<OutboundOptions> = {}) {
  const made = outboundClient({ connections: 4, trust: trustStore(certificate.cert), ...options })
  opened.push(made)
  return made.transport
}

function get({ origin }: HttpServer, more: Partial<Request> = {}): Request {
  return { method: 'GET', origin, path: '/x', query: { a: '1' }, headers: {}, body: noBody, expect: 'whole', ...more }
}

describe('case 21: a server with a private certificate', () => {
  test('fails at once without its authority, and works with it', async () => {
    const secure = await server()
    await expect(client({ trust: trustStore() })(get(secure))).rejects.toMatchObject({ kind: 'certificate' })
    expect(await client()(get(secure))).toMatchObject({ status: 200, body: { value: { path: '/x' } } })
  })

  test('keeps the public roots: the store holds them and the private authority', () => {
    expect(rootCertificates.length).toBeGreaterThan(100)
    expect(() => trustStore(certificate.cert)).not.toThrow()
    expect(certificatesIn(`# a comment\n${certificate.cert}\n# another\n${certificate.cert}`)).toHaveLength(2)
  })

  test.each([
    ['no certificate', 'hello'],
    ['a private key', certificate.key],
    ['a broken one', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ])('refuses a text with %s', (_, text) => {
    expect(() => trustStore(text)).toThrow(/certificate/)
  })
})

describe('case 22: a proxy', () => {
  test('gets a CONNECT for https and keeps the tunnel for the next request', async () => {
    const secure = await server()
    const via = await proxy()
    const transport = client({ proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    for (let call = 0; call < 3; call++) expect((await transport(get(secure))).status).toBe(200)
    expect(via.passed).toEqual([`127.0.0.1:${secure.port}`])
  })

  test('gets the whole address of an http request', async () => {
    const plain = await server(false)
    const via = await proxy({ credential })
    const transport = client({ proxy: configuredProxy({ url: via.url, ...credential, noProxy: [] }) })
    expect(await transport(get(plain))).toMatchObject({ status: 200, body: { value: { path: '/x' } } })
    expect(via.passed).toEqual([`${plain.origin}/x?a=1`])
  })

  test('is not used for a server that NO_PROXY names', async () => {
    const secure = await server()
    const via = await proxy()
    const noProxy = ['127.0.0.0/8']
    const transport = client({ proxy: configuredProxy({ url: via.url, noProxy }) })
    expect((await transport(get(secure))).status).toBe(200)
    expect(via.passed).toEqual([])
  })

  test.each(['https', 'http'])('passes %s on if it speaks TLS itself', async (scheme) => {
    const target = await server(scheme === 'https')
    const via = await proxy({ tls: certificate })
    const transport = client({ proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    expect((await transport(get(target))).status).toBe(200)
    expect(via.passed).toHaveLength(1)
  })

  test.each([
    ['https', undefined, 'none is configured'],
    ['https', { username: 'joe', password: 'wrong-pass' }, 'it refuses the configured one'],
    ['http', { username: 'joe', password: 'wrong-pass' }, 'it refuses the configured one'],
  ])('fails the %s request clearly if it asks for authentication', async (scheme, wrong, why) => {
    const target = await server(scheme === 'https')
    const via = await proxy({ credential })
    const transport = client({ proxy: configuredProxy({ url: via.url, ...wrong, noProxy: [] }) })
    const error = await transport(get(target)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'proxy', message: expect.stringContaining('(407)') })
    expect(String(error)).toContain(why)
    expect(String(error)).not.toContain('wrong-pass')
    expect(via.passed).toEqual([])
  })

  test.each([
    [403, 'proxy'],
    [502, 'connect'],
  ])('fails a request with its answer %d and the kind %s', async (status, kind) => {
    const secure = await server()
    const via = await proxy({ refuse: () => status })
    const transport = client({ proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    await expect(transport(get(secure))).rejects.toMatchObject({ kind, message: expect.stringContaining(via.url) })
  })

  test('fails a request with the kind connect and its address if it does not listen', async () => {
    const secure = await server()
    const via = await proxy()
    await via.close()
    opened.pop()
    const transport = client({ proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    await expect(transport(get(secure))).rejects.toMatchObject({
      kind: 'connect',
      message: expect.stringContaining(via.url),
    })
  })

  test('does not hide that the server behind it has an unknown certificate', async () => {
    const secure = await server()
    const via = await proxy()
    const transport = client({ trust: trustStore(), proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    await expect(transport(get(secure))).rejects.toMatchObject({ kind: 'certificate' })
  })

  test('opens no more tunnels at once than connections, and none for an aborted request', async () => {
    let busy = 0
    let most = 0
    const secure = await server(true, async () => {
      most = Math.max(most, ++busy)
      await new Promise((resolve) => setTimeout(resolve, 20))
      busy--
      return jsonAnswer(200, {})
    })
    const via = await proxy()
    const transport = client({ proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    const stop = new AbortController()
    const calls = Array.from({ length: 20 }, () => transport(get(secure)))
    const aborted = transport(get(secure, { signal: stop.signal }))
    stop.abort(new Error('stopped'))
    await expect(aborted).rejects.toThrow('stopped')
    await Promise.all(calls)
    expect([most, via.passed.length]).toEqual([4, 4])
  })

  test('sends no request that was cancelled while its tunnel was being opened', async () => {
    const paths: string[] = []
    const secure = await server(true, async ({ path }) => {
      paths.push(path)
      return jsonAnswer(200, {})
    })
    const via = await proxy()
    const transport = client({ proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    const cancelled = transport(get(secure, { path: '/cancelled', signal: AbortSignal.timeout(30) }))
    await expect(cancelled).rejects.toThrow('timeout')
    await transport(get(secure))
    expect(paths).toEqual(['/x'])
  })

  test('closing the client ends a tunnel that is being opened', async () => {
    const secure = await server()
    const via = await proxy({ latencyMs: 5_000 })
    const made = outboundClient({ connections: 4, proxy: configuredProxy({ url: via.url, noProxy: [] }) })
    const call = made.transport(get(secure)).catch((error: unknown) => String(error))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await made.close()
    expect(await call).toContain('the client was closed')
  })
})
