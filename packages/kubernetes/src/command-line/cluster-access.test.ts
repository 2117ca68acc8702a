// Tests the order in which a command looks for its cluster, and the errors if there is none.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import type { CliFailure } from '@dayfly/command-line/failure'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import { systemClock } from '@dayfly/kit/system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clusterAccess, type Surroundings } from './cluster-access.ts'
import { pluginHost } from './run-plugin.ts'

const { cert: ca } = selfSignedCertificate(Date.now())
const pod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }

let root = ''
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'dayfly-access-'))
  await mkdir(path.join(root, 'home/.kube'), { recursive: true })
  await mkdir(path.join(root, 'account'))
  const config = (server: string) => kubeconfigText({ server, ca, user: 'me', token: 'secret' })
  await writeFile(path.join(root, 'home/.kube/config'), config('https://own:6443'))
  await writeFile(path.join(root, 'named'), config('https://named:6443'))
  for (const [name, text] of Object.entries({ token: 'of-the-pod', 'ca.crt': ca, namespace: 'ci' })) {
    await writeFile(path.join(root, 'account', name), text)
  }
})
afterAll(() => rm(root, { recursive: true }))

const around = (environment: Surroundings['environment'], home = 'nowhere'): Surroundings => ({
  environment,
  home: path.join(root, home),
  serviceAccount: path.join(root, 'account'),
  plugins: pluginHost({ environment, isTerminal: false, clock: systemClock() }),
})

it('prefers --kubeconfig, then KUBECONFIG, then the file in the home directory, then the pod', async () => {
  const named = path.join(root, 'named')
  const server = async (...access: Parameters<typeof clusterAccess>) => (await clusterAccess(...access)).server
  expect(await server({ kubeconfig: named }, around({ ...pod, KUBECONFIG: 'elsewhere' }, 'home'))).toBe(
    'https://named:6443',
  )
  const variable = { ...pod, KUBECONFIG: `${path.delimiter}${named}` }
  expect(await server({}, around(variable, 'home'))).toBe('https://named:6443')
  expect(await server({}, around({ ...pod, KUBECONFIG: '' }, 'home'))).toBe('https://own:6443')
  expect(await clusterAccess({}, around(pod))).toMatchObject({
    server: 'https://10.96.0.1:443',
    namespace: 'ci',
    token: { kind: 'file', path: path.join(root, 'account/token') },
  })
})

it('fails with a next step if there is no cluster or if it cannot be used', async () => {
  const failure = async (...access: Parameters<typeof clusterAccess>) => {
    const error = await clusterAccess(...access).catch((thrown: unknown) => thrown)
    return (error as CliFailure).details
  }
  const none = await failure({}, around({}))
  expect(none).toMatchObject({ code: 'cluster-unknown', sentence: expect.stringContaining('does not run in a pod') })
  expect(none.next).toContain('--kubeconfig')
  // A pod has no contexts to choose from.
  expect((await failure({ context: 'staging' }, around(pod))).code).toBe('cluster-unknown')
  expect((await failure({}, around({ ...pod, KUBECONFIG: 'missing' }))).code).toBe('kubeconfig-missing')
  const unmounted = { ...around(pod), serviceAccount: path.join(root, 'nothing') }
  expect(await failure({}, unmounted)).toMatchObject({
    code: 'service-account-unusable',
    next: expect.stringContaining('automountServiceAccountToken'),
  })
})
