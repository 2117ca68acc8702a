// A client that trusts the certificate alone reaches this server, and only by its own names.
import { X509Certificate } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { type Certificate, selfSignedCertificate } from './certificate.ts'
import { type Answer, noBody, TransportError, textAnswer } from './http.ts'
import { type HttpClientOptions, httpClient } from './http-client.ts'
import { httpServer } from './http-server.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function get(certificate: Certificate, tls: NonNullable<HttpClientOptions['tls']>): Promise<Answer> {
  const server = await httpServer(async () => textAnswer(200, 'ok'), { tls: certificate })
  const client = httpClient({ origin: server.origin, tls })
  closing.push(client.close, server.close)
  return client.transport({ method: 'GET', path: '/', query: {}, headers: {}, body: noBody, expect: 'whole' })
}

test('a client that trusts the certificate gets an answer', async () => {
  const certificate = selfSignedCertificate(Date.now())
  expect((await get(certificate, { ca: certificate.cert })).status).toBe(200)
})

test('a client that does not trust the certificate fails', async () => {
  const certificate = selfSignedCertificate(Date.now())
  const refused = get(certificate, { ca: selfSignedCertificate(Date.now()).cert })
  await expect(refused).rejects.toMatchObject({ name: TransportError.name, kind: 'certificate' })
})

test('the certificate is valid for loopback only and for one year, and is new each time', () => {
  const now = Date.parse('2026-03-04T05:06:07Z')
  const certificate = new X509Certificate(selfSignedCertificate(now).cert)
  expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1')
  expect(Date.parse(certificate.validFrom)).toBe(now - 3_600_000)
  expect(Date.parse(certificate.validTo)).toBe(now + 365 * 86_400_000)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(new X509Certificate(selfSignedCertificate(now).cert).serialNumber).not.toBe(certificate.serialNumber)
})
