// Tests `dayfly cluster` from its start to its end.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { noBody } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createWorld, until, type World } from '../cli.ts'

let world: World
let own: string

beforeEach(() => {
  world = createWorld()
  own = path.join(world.directory, 'own')
  mkdirSync(own)
})
afterEach(() => world.end())

test('it serves clients with its kubeconfig, and leaves nothing behind after an interruption', async () => {
  const kubeconfig = path.join(own, 'kubeconfig')
  const cluster = world.start('cluster', '--kubeconfig', kubeconfig, '--profile', '1.33')
  await until('it prints its kubeconfig', 10_000, () => cluster.stdout().includes(`export KUBECONFIG=${kubeconfig}`))
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600)
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'))
  const { server: origin, 'certificate-authority-data': authority } = clusters[0].cluster
  const client = httpClient({ origin, tls: { ca: Buffer.from(authority, 'base64').toString() } })
  const get = (target: string, headers: Record<string, string>) =>
    client.transport({ method: 'GET', path: target, query: {}, headers, body: noBody, expect: 'whole' })
  const authorization = `Bearer ${users[0].user.token}`
  expect((await get('/api/v1/nodes', { authorization })).status).toBe(200)
  expect((await get('/api/v1/nodes', {})).status).toBe(401)
  expect((await get('/version', { authorization })).body).toMatchObject({ value: { minor: '33' } })
  cluster.child.kill('SIGTERM')
  expect(await cluster.ended).toEqual({ code: 0, signal: null })
  await client.close()
  expect([existsSync(kubeconfig), world.files(), world.processes()]).toEqual([false, [], []])
})

test('it refuses to overwrite a file that it did not write, and fails if its port is taken', async () => {
  const foreign = path.join(own, 'config')
  writeFileSync(foreign, 'apiVersion: v1\n')
  const refused = world.start('cluster', '--kubeconfig', foreign)
  expect((await refused.ended).code).toBe(2)
  expect(refused.stderr()).toContain(`error kubeconfig-exists: ${foreign} exists and was not written by`)
  expect(readFileSync(foreign, 'utf8')).toBe('apiVersion: v1\n')
  const taken = createServer().listen(0, '127.0.0.1')
  try {
    await until('the port is taken', 5_000, () => taken.address())
    const { port } = taken.address() as { port: number }
    const second = world.start('cluster', '--port', String(port))
    expect((await second.ended).code).toBe(1)
    expect(second.stderr()).toContain(
      `error port-unusable: The cluster cannot listen on 127.0.0.1:${port} (EADDRINUSE).`,
    )
  } finally {
    taken.close()
  }
  expect([world.files(), world.processes()]).toEqual([[], []])
})
