// Stuck ARC uninstalls without a controller. The repair ends each one, after any order of deletions, children first, and names the records that stay at GitHub.
import { startOwnerCollector } from '@dayfly/cluster/controllers/owner-collector'
import { isFull } from '@dayfly/kit/full.fixture'
import { expect, test } from 'vitest'
import {
  arcKinds,
  createArc,
  createPod,
  type DoctorCluster,
  ended,
  openDoctorCluster,
  ownedBy,
  running,
} from './doctor-cluster.fixture.ts'
import { gatherLive } from './gather.ts'
import { type Plan, planRepair } from './plan.ts'
import { type PlanOptions, planDefaults } from './plan-options.ts'
import { describeRemainder } from './remains.ts'
import { repair } from './repair.ts'

const declined: PlanOptions = { ...planDefaults, restoreDeclined: true }
const protection = 'actions.github.com/cleanup-protection'
const rbac = 'rbac.authorization.k8s.io'
const finding = { rule: 'uninstall-stuck', object: { apiVersion: '', kind: 'any', namespace: undefined, name: 'any' } }

/** Every object with one of ARC's finalizers, as ARC 0.14.2 and its chart create it. */
const members = [
  ['autoscalingrunnersets.actions.github.com', 'runners', 'linux'],
  ['autoscalinglisteners.actions.github.com', 'arc-system', 'linux-listener'],
  ['ephemeralrunnersets.actions.github.com', 'runners', 'linux-set'],
  ['ephemeralrunners.actions.github.com', 'runners', 'linux-r1'],
  ['ephemeralrunners.actions.github.com', 'runners', 'linux-r2'],
  [`rolebindings.${rbac}`, 'runners', 'manager'],
  [`roles.${rbac}`, 'runners', 'manager'],
  ['serviceaccounts', 'runners', 'no-permission'],
  ['secrets', 'runners', 'github'],
] as const

function install({ registry, clock }: DoctorCluster) {
  registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  const labels = { 'actions.github.com/scale-set-name': 'linux', 'actions.github.com/scale-set-namespace': 'runners' }
  const set = createArc(
    registry,
    'AutoscalingRunnerSet',
    {
      name: 'linux',
      finalizers: ['autoscalingrunnerset.actions.github.com/finalizer'],
      annotations: { 'runner-scale-set-id': '7', 'actions.github.com/cleanup-github-secret-name': 'github' },
    },
    { spec: { githubConfigUrl: 'https://github.example/acme' } },
  )
  createArc(
    registry,
    'AutoscalingListener',
    {
      name: 'linux-listener',
      namespace: 'arc-system',
      finalizers: ['autoscalinglistener.actions.github.com/finalizer'],
    },
    { spec: { autoscalingRunnerSetName: 'linux', autoscalingRunnerSetNamespace: 'runners' } },
  )
  const runnerSet = createArc(registry, 'EphemeralRunnerSet', {
    name: 'linux-set',
    finalizers: ['ephemeralrunnerset.actions.github.com/finalizer'],
    ownerReferences: ownedBy(set),
  })
  for (const [index, name] of ['linux-r1', 'linux-r2'].entries()) {
    const runner = createArc(
      registry,
      'EphemeralRunner',
      {
        name,
        finalizers: [
          'ephemeralrunner.actions.github.com/finalizer',
          'ephemeralrunner.actions.github.com/runner-registration-finalizer',
        ],
        ownerReferences: ownedBy(runnerSet),
      },
      { spec: { githubConfigUrl: 'https://github.example/acme' }, status: { runnerId: 40 + index, runnerName: name } },
    )
    createPod(
      registry,
      { name, ownerReferences: ownedBy(runner) },
      { phase: 'Running', runner: ended(clock), docker: running(clock) },
    )
  }
  const guarded = { namespace: 'runners', labels, finalizers: [protection] }
  const roleRef = { apiGroup: rbac, kind: 'Role', name: 'manager' }
  const metadata = { ...guarded, name: 'manager' }
  registry.create(`rolebindings.${rbac}`, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef,
    subjects: [],
  })
  registry.create(`roles.${rbac}`, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: [] })
  registry.create('serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...guarded, name: 'no-permission' },
  })
  registry.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...guarded, name: 'github' },
    data: { token: 'c2VjcmV0' },
  })
}

async function plan(cluster: DoctorCluster, options: PlanOptions = declined): Promise<Plan> {
  return planRepair(await gatherLive(cluster), [finding], options)
}

async function carryOut(cluster: DoctorCluster, made: Plan) {
  const images: string[] = []
  const outcome = await repair(made, {
    ...cluster,
    account: undefined,
    confirmed: made.digest,
    keepImage: async (_step, image) => void images.push(JSON.stringify(image)),
    log: () => {},
  })
  return { ...outcome, images }
}

function left({ registry }: DoctorCluster) {
  return members
    .filter(([resource, namespace, name]) => registry.get(resource, namespace, name))
    .map(([, , name]) => name)
}

/** Returns every order of the items. */
function orders<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item) => orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

/** Every fifth order begins with each of the five deletions, and ends with each. Dependent objects follow in their own time. */
const tried = <T>(all: readonly T[]) => (isFull ? all : all.filter((_, index) => index % 5 === 0))

test('ends an uninstall after any deletions in any order', { timeout: 120_000 }, async () => {
  const roots = members.filter(([, , name]) =>
    ['linux', 'linux-listener', 'linux-set', 'linux-r1', 'github'].includes(name),
  )
  const others = members.filter((member) => !roots.includes(member))
  for (const order of tried(orders(roots))) {
    const cluster = openDoctorCluster()
    install(cluster)
    const stop = startOwnerCollector(cluster)
    for (const [resource, namespace, name] of [...order, ...others.slice(1)]) {
      cluster.registry.delete(resource, namespace, name)
      await cluster.clock.sleep(10)
    }
    expect(left(cluster)).toHaveLength(members.length)
    const made = await plan(cluster)
    expect(made.refused).toEqual([])
    const { entries, refused } = await carryOut(cluster, made)
    expect(refused).toBeUndefined()
    expect(entries.filter(({ outcome }) => outcome !== 'done')).toEqual([])
    await cluster.clock.sleep(1_000)
    expect(left(cluster)).toEqual([])
    // A pod on a node waits for its kubelet, which does not run in this test.
    const alive = cluster.registry.list('pods', 'runners').filter(({ metadata }) => !metadata.deletionTimestamp)
    expect(alive).toEqual([])
    // GitHub was not asked, so each record may exist or not.
    expect(made.stays.map(describeRemainder)).toEqual([
      'perhaps the registration linux-r1 (id 40) at https://github.example/acme',
      'perhaps the registration linux-r2 (id 41) at https://github.example/acme',
      'perhaps the scale set linux (id 7) at https://github.example/acme and runners named linux-…: look at https://github.example/organizations/acme/settings/actions/runners, or ask with --github-url',
    ])
    stop()
  }
})

test('frees children before parents, one finalizer at a time, each with a test', async () => {
  const cluster = openDoctorCluster()
  install(cluster)
  for (const [resource, namespace, name] of members) cluster.registry.delete(resource, namespace, name)
  const made = await plan(cluster)
  const order = made.steps.map(({ action }) =>
    action.do === 'deregister' ? '' : `${action.target.resource.kind} ${action.target.name}`,
  )
  expect([...new Set(order)]).toEqual([
    'AutoscalingListener linux-listener',
    'EphemeralRunner linux-r1',
    'EphemeralRunner linux-r2',
    'EphemeralRunnerSet linux-set',
    'RoleBinding manager',
    'Role manager',
    'ServiceAccount no-permission',
    'Secret github',
    'AutoscalingRunnerSet linux',
  ])
  const { images } = await carryOut(cluster, made)
  expect(images).toHaveLength(made.steps.length)
  expect(images.join('\n')).not.toContain('c2VjcmV0')
  const patches = cluster.requests.filter(({ method }) => method === 'PATCH')
  expect(patches).toHaveLength(2 * made.steps.length)
  for (const { body } of patches) {
    const operations = (body.kind === 'json' ? body.value : []) as { op: string; path: string }[]
    expect(operations.map(({ op }) => op)).toEqual(['test', 'test', 'test', 'remove'])
    expect(operations[3]?.path).toMatch(/^\/metadata\/finalizers\/\d+$/)
  }
})

test('also deletes and frees the children if only the set was deleted', async () => {
  const cluster = openDoctorCluster()
  install(cluster)
  const stop = startOwnerCollector(cluster)
  cluster.registry.delete(arcKinds.AutoscalingRunnerSet, 'runners', 'linux')
  const made = await plan(cluster)
  const { entries } = await carryOut(cluster, made)
  expect(entries.filter(({ outcome }) => outcome !== 'done')).toEqual([])
  await cluster.clock.sleep(1_000)
  // Objects that no one asked to delete stay.
  expect(left(cluster)).toEqual(['manager', 'manager', 'no-permission', 'github'])
  stop()
})

test('advises to restore the controller first, and refuses if the controller exists or cannot be read', async () => {
  const cluster = openDoctorCluster()
  install(cluster)
  for (const [resource, namespace, name] of members) cluster.registry.delete(resource, namespace, name)
  const offered = await plan(cluster, planDefaults)
  expect(offered.steps).toEqual([])
  expect(offered.guided[0]?.advice).toContain("bring ARC's controller back")
  const container = { name: 'manager', image: 'mirror.example/gha-runner-scale-set-controller:0.14.2' }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'arc', namespace: 'arc-system' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
    },
  }
  const made = await plan(cluster)
  cluster.registry.create('deployments.apps', deployment)
  expect((await plan(cluster)).refused[0]?.because).toContain('asks for a pod')
  const { entries } = await carryOut(cluster, made)
  expect(entries.filter(({ outcome }) => outcome === 'done')).toEqual([])
  expect(entries[0]?.why).toContain('controller is back')
})

test('does not free a runner with a job, nor any object above it', async () => {
  const cluster = openDoctorCluster()
  install(cluster)
  for (const [resource, namespace, name] of members) cluster.registry.delete(resource, namespace, name)
  const runner = cluster.registry.get(arcKinds.EphemeralRunner, 'runners', 'linux-r2')
  cluster.registry.update(arcKinds.EphemeralRunner, { ...runner, status: { runnerId: 41, jobId: 'build' } })
  const made = await plan(cluster)
  expect(made.refused.map(({ object, because }) => `${object.name}: ${because}`)).toEqual([
    'linux-r2: it may be busy: its status at ARC names a job; ask GitHub with --github-url whether it still lists the runner',
    'linux-set: EphemeralRunner linux-r2 must be deleted first',
    'manager: EphemeralRunner linux-r2 must be deleted first',
    'manager: EphemeralRunner linux-r2 must be deleted first',
    'no-permission: EphemeralRunner linux-r2 must be deleted first',
    'github: EphemeralRunner linux-r2 must be deleted first',
    'linux: EphemeralRunner linux-r2 must be deleted first',
  ])
  await carryOut(cluster, made)
  expect(left(cluster)).toEqual(['linux', 'linux-set', 'linux-r2', 'manager', 'manager', 'no-permission', 'github'])
})
