// Tests how a pod reaches its API server: with the kubelet's files and variables, a real HTTPS server and a token that rotates.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import type { Clock } from '@dayfly/kit/clock'
import { jsonAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createKubernetes } from './client.ts'
import { connect } from './connect.ts'
import { loadInCluster } from './in-cluster.ts'
import type { KubeconfigError } from './kubeconfig-error.ts'

const certificate = selfSignedCertificate(Date.now())
const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dayfly-pod-'))
})
afterAll(() => rm(root, { recursive: true }))

let mounts = 0

/** Writes the files like a kubelet: `token` is a link through `..data`, which the kubelet replaces when the token rotates. */
async function mount(files: Readonly<Record<string, string>>) {
  const folder = join(root, `mount-${++mounts}`)
  await mkdir(folder)
  let version = 0
  const rotate = async (change: Readonly<Record<string, string>>) => {
    const data = join(folder, `..version-${++version}`)
    await mkdir(data)
    for (const [name, text] of Object.entries({ ...files, ...change })) await writeFile(join(data, name), text)
    await rm(join(folder, '..data'), { force: true })
    await symlink(data, join(folder, '..data'))
  }
  await rotate({})
  for (const name of Object.keys(files)) await symlink(join('..data', name), join(folder, name))
  return { folder, rotate }
}

const whole = { token: 'one\n', 'ca.crt': certificate.cert, namespace: 'ci\n' }
const at = (host: string, port: string) => ({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port })

it('reaches the API server over TLS and uses each new token', async () => {
  const accepted = { token: 'one' }
  const seen: string[] = []
  const handler = async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
    const token = headers['authorization']?.slice('Bearer '.length) ?? ''
    seen.push(token)
    if (token !== accepted.token) return jsonAnswer(401, { kind: 'Status', reason: 'Unauthorized', code: 401 })
    return jsonAnswer(200, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ci' } })
  }
  const server = await httpServer(handler, { tls: certificate })
  const { folder, rotate } = await mount(whole)
  const config = await loadInCluster({ environment: at('127.0.0.1', String(server.port)), folder })
  if (!config) throw new Error('no configuration, although the variables of a pod are set')
  expect(config).toMatchObject({ server: server.origin, namespace: 'ci' })

  let late = 0
  const present = systemClock()
  const clock: Clock = { ...present, now: () => present.now() + late }
  const connection = connect(config, clock)
  const kubernetes = createKubernetes({ ...connection, clock, random: seededRandom(1) })
  const read = async () => (await kubernetes.get(namespaces, { name: 'ci' })).metadata.name
  try {
    expect(await read()).toBe('ci')
    await rotate({ token: 'two' })
    accepted.token = 'two'
    expect(await read(), 'the file is read again after the old token was refused').toBe('ci')
    await rotate({ token: 'three' })
    accepted.token = 'three'
    late = 61_000
    expect(await read(), 'the file is read again after a minute').toBe('ci')
    expect(seen).toEqual(['one', 'one', 'two', 'three'])
  } finally {
    await connection.close()
    await server.close()
  }
})

it('puts an IPv6 host in brackets and uses the namespace "default" if the file is missing', async () => {
  const { token, 'ca.crt': ca } = whole
  const { folder } = await mount({ token, 'ca.crt': ca })
  const config = await loadInCluster({ environment: at('fd00:10:96::1', '443'), folder })
  expect(config).toEqual({
    server: 'https://[fd00:10:96::1]:443',
    namespace: 'default',
    tls: { ca: ca.trim() },
    token: { kind: 'file', path: join(folder, 'token') },
  })
})

it('returns nothing outside a pod', async () => {
  const { folder } = await mount(whole)
  expect(await loadInCluster({ environment: {}, folder })).toBeUndefined()
  expect(await loadInCluster({ environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, folder })).toBeUndefined()
})

it.each([
  [
    'without a token',
    { 'ca.crt': certificate.cert },
    '10.0.0.1',
    /token: The pod's ServiceAccount file cannot be read \(ENOENT\)/,
  ],
  ['with an empty token', { ...whole, token: '\n' }, '10.0.0.1', /token: The file is empty/],
  ['with an invalid CA', { ...whole, 'ca.crt': 'x' }, '10.0.0.1', /ca\.crt: The file is not a PEM certificate/],
  ['with an invalid host', whole, 'a host', /do not form a valid URL/],
])('rejects a pod %s, with a next step', async (_, files, host, sentence) => {
  const { folder } = await mount(files)
  const error = await loadInCluster({ environment: at(host, '443'), folder }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'KubeconfigError', code: 'service-account-unusable' })
  expect((error as KubeconfigError).message).toMatch(sentence)
  expect((error as KubeconfigError).next).toMatch(/kubeconfig\.$/)
})
