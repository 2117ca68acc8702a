// A controller for each namespace, as the chart starts them: its Lease has a name of its own, in the namespace of the release.
import { runnerSets, secrets } from '@dayfly/controller/resources'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../cli.ts'
import { type OperateStage, openOperateStage } from '../controller/operate-stage.fixture.ts'

const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

let stage: OperateStage
beforeAll(async () => {
  stage = await openOperateStage(50)
  const { kubernetes, url, token, world, kubeconfig } = stage
  await stage.addSet('linux', { scale: { max: 3 } })
  await kubernetes.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
  const metadata = { name: 'github', namespace: 'other' }
  await kubernetes.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { github_token: token } })
  await kubernetes.create(runnerSets, {
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata: { name: 'lonely', namespace: 'other' },
    spec: { github: { url, credentials: { secret: 'github' } }, scale: { max: 3 } },
  })
  const lease = ['--lease-namespace', 'kube-system', '--lease-name', 'dayfly-default']
  const own = ['--namespace', 'default', ...lease, '--health-address', 'off']
  world.start('controller', '--kubeconfig', kubeconfig, ...own)
  await until('the set is ready', 20_000, async () => (await stage.dayfly('status', '-n', 'default')).code === 0)
}, 60_000)
afterAll(() => stage.close())

test('status and plan find the leader of a namespace by the label of its Lease', async () => {
  const status = await stage.dayfly('status', '-n', 'default')
  expect(status.stdout).toMatch(/^Leader: \S+ \(Lease kube-system\/dayfly-default, renewed /m)
  expect(status.stdout).toMatch(/^linux +yes +0 /m)
  const plan = await stage.dayfly('plan', 'linux', '-n', 'default')
  expect(plan.stdout).toMatch(/^default\/linux +demand 0, min 0, max 3: 0 wanted/)
})

test('a set in a namespace that no controller serves has no leader, and the next step names that namespace', async () => {
  const { code, stdout } = await stage.dayfly('status', '-A')
  expect(code).toBe(1)
  expect(stdout).toMatch(/no-leader: No controller serves the namespace other\. .* serve: default\./)
  expect(stdout).toMatch(/next: Add other to watchNamespaces/)
  expect((await stage.dayfly('status', '-n', 'other')).stdout).toMatch(
    /^Leader: none, and there is no Lease of Dayfly for this namespace$/m,
  )
})

test('a named Lease is the only one that counts', async () => {
  const { code, stdout } = await stage.dayfly('status', '-n', 'default', '--lease-name', 'dayfly')
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('Leader: none, and there is no Lease of Dayfly for this namespace'),
  ])
})

test('drain waits for the leader of its namespace', async () => {
  const { code, stdout } = await stage.dayfly('drain', 'linux', '-n', 'default', '--timeout', '60s')
  expect([code, stdout]).toEqual([0, 'default/linux is drained.\n'])
})
