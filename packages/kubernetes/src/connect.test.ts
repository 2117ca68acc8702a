import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import { jsonAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { renewingConnection } from './connect.ts'
import { loadKubeconfig } from './kubeconfig.ts'

it('reads the kubeconfig again after a rotation of its inline token and its certificate authority', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dayfly-rotation-'))
  const file = join(folder, 'config')
  const delay = systemClock()
  let [accepted, reads, port] = ['one', 0, 0]
  const tokens: string[] = []
  const serve = async (tls: { readonly cert: string; readonly key: string }) => {
    const server = await httpServer(
      async ({ headers }) => {
        await delay.sleep(50)
        tokens.push((headers['authorization'] ?? '').slice(7))
        return jsonAnswer(headers['authorization'] === `Bearer ${accepted}` ? 200 : 401, {})
      },
      { tls, port },
    )
    port = Number(new URL(server.origin).port)
    return server
  }
  const write = (token: string, cert: string) => {
    const cluster = {
      server: `https://127.0.0.1:${port}`,
      'certificate-authority-data': Buffer.from(cert).toString('base64'),
    }
    const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }]
    const users = [{ name: 'u', user: { token } }]
    const lists = { clusters: [{ name: 'c', cluster }], users, contexts, 'current-context': 'x' }
    return writeFile(file, stringify({ apiVersion: 'v1', kind: 'Config', ...lists }))
  }
  const [older, newer] = [selfSignedCertificate(Date.now()), selfSignedCertificate(Date.now())]
  let server = await serve(older)
  await write('one', older.cert)
  const clock = virtualClock()
  const connection = renewingConnection(await loadKubeconfig(file), clock, () => {
    reads++
    return loadKubeconfig(file)
  })
  const request = {
    method: 'GET',
    path: '/api',
    query: {},
    headers: {},
    body: { kind: 'none' },
    expect: 'whole',
  } as const
  const call = () =>
    connection.transport(request).then(
      ({ status }) => status,
      (error: { readonly kind: string }) => error.kind,
    )
  expect(await call()).toBe(200)
  accepted = 'two'
  expect(await Promise.all([call(), call()]), 'the file still has the older token').toEqual([401, 401])
  expect(await call(), 'the file was read just now').toBe(401)
  expect(reads).toBe(1)
  await write('two', older.cert)
  await clock.advance(10_000)
  expect(await Promise.all([call(), call()])).toEqual([200, 200])
  expect(reads, 'both requests share one reading').toBe(2)
  await server.close()
  server = await serve(newer)
  await clock.advance(10_000)
  expect(await call(), 'the file still has the older authority').toBe('certificate')
  await write('two', newer.cert)
  await clock.advance(10_000)
  expect(await call()).toBe(200)
  await writeFile(file, 'half of a')
  accepted = 'three'
  await clock.advance(10_000)
  expect(await call(), 'a file that cannot be read changes nothing').toBe(401)
  await connection.close()
  await server.close()
  await rm(folder, { recursive: true })
})
