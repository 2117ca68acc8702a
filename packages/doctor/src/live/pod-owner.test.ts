// Anyone who may create pods can write any owner reference into a pod. A repair acts on an owner only if the owner points back.
import { expect, test } from 'vitest'
import {
  arcKinds,
  createArc,
  createPod,
  type DoctorCluster,
  ended,
  type Metadata,
  openDoctorCluster,
  ownedBy,
  running,
} from './doctor-cluster.fixture.ts'
import { gatherLive } from './gather.ts'
import { type Plan, planRepair } from './plan.ts'
import { planDefaults } from './plan-options.ts'
import { createController } from './state.fixture.ts'

const rules = ['zombie-runner-pod', 'runner-session-conflict'] as const

test.each(rules)('%s leaves the runner of others alone if its pod has another name', async (rule) => {
  const cluster = open()
  const runner = createRunner(cluster, 'victim', 'victim')
  createZombie(cluster, { name: 'stranger', ownerReferences: ownedBy(runner) })
  const { steps, refused } = await planFor(cluster, rule, 'stranger')
  expect(steps).toEqual([])
  expect(refused).toHaveLength(1)
})

test('says why the owner does not count', async () => {
  const cluster = open()
  const runner = createRunner(cluster, 'victim', 'victim')
  createZombie(cluster, { name: 'stranger', ownerReferences: ownedBy(runner) })
  const { refused } = await planFor(cluster, 'zombie-runner-pod', 'stranger')
  expect(refused[0]?.because).toBe(
    "it names EphemeralRunner victim as its owner, but that runner's pod has another name",
  )
})

test("does not follow a pod with the runner's name if the runner's status names another pod", async () => {
  const cluster = open()
  const runner = createRunner(cluster, 'victim', 'victim-renamed')
  createZombie(cluster, { name: 'victim', ownerReferences: ownedBy(runner) })
  expect((await planFor(cluster, 'zombie-runner-pod', 'victim')).steps).toEqual([])
})

test('does not follow a reference whose uid is that of a deleted runner', async () => {
  const cluster = open()
  const runner = createRunner(cluster, 'r1', 'r1')
  const references = ownedBy({ ...runner, metadata: { name: 'r1', uid: 'of-an-earlier-runner' } })
  createZombie(cluster, { name: 'r1', ownerReferences: references })
  expect((await planFor(cluster, 'runner-session-conflict', 'r1')).steps).toEqual([])
})

test('does not take a kind of the same name in another API group for one of ARC', async () => {
  const cluster = open()
  const runner = createRunner(cluster, 'r1', 'r1')
  const references = ownedBy({ ...runner, apiVersion: 'example.com/v1' })
  createZombie(cluster, { name: 'r1', ownerReferences: references })
  const { steps, guided } = await planFor(cluster, 'zombie-runner-pod', 'r1')
  expect(steps).toEqual([])
  expect(guided[0]?.advice).toContain('EphemeralRunner r1 would create it again')
})

test('deletes the runner that names the pod as its own', async () => {
  const cluster = open()
  const runner = createRunner(cluster, 'r1', 'r1')
  createZombie(cluster, { name: 'r1', ownerReferences: ownedBy(runner) })
  for (const rule of ['zombie-runner-pod', 'runner-session-conflict']) {
    const { steps } = await planFor(cluster, rule, 'r1')
    expect(steps.map(({ action }) => action.do === 'delete' && action.target.resource.kind)).toEqual([
      'EphemeralRunner',
    ])
  }
})

test('leaves a Job alone if its selector does not match the pod', async () => {
  const cluster = open()
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } }
  const metadata = { name: 'j', namespace: 'runners' }
  const job = cluster.registry.create('jobs.batch', { apiVersion: 'batch/v1', kind: 'Job', metadata, spec })
  const labels = { 'batch.kubernetes.io/controller-uid': 'another' }
  createZombie(cluster, { name: 'stranger', labels, ownerReferences: ownedBy(job) })
  const { steps, refused } = await planFor(cluster, 'zombie-runner-pod', 'stranger')
  expect(steps).toEqual([])
  expect(refused[0]?.because).toBe("it names Job j as its owner, but the Job's selector does not match it")
})

test('counts a runner as busy for its own pod, although another pod names it as its owner', async () => {
  const cluster = open()
  const runner = createRunner(cluster, 'r1', 'r1', 'Failed')
  createPod(cluster.registry, { name: 'r1' }, { phase: 'Running', runner: running(cluster.clock) })
  createZombie(cluster, { name: 'stranger', ownerReferences: ownedBy(runner) })
  const { steps, refused } = await planFor(cluster, 'ephemeralrunner-failed-silently', 'r1', 'EphemeralRunner')
  expect(steps).toEqual([])
  expect(refused[0]?.because).toContain('it may be busy')
})

test('counts a pod as busy for the job of the runner with its name, although it names another owner', async () => {
  const cluster = open()
  const idle = createRunner(cluster, 'idle', 'idle')
  createArc(cluster.registry, 'EphemeralRunner', { name: 'r1' }, { status: { phase: 'Running', jobId: 'build' } })
  createPod(
    cluster.registry,
    { name: 'r1', ownerReferences: ownedBy(idle) },
    { phase: 'Succeeded', runner: ended(cluster.clock) },
  )
  cluster.registry.delete(arcKinds.EphemeralRunner, 'runners', 'idle')
  const { steps } = await planFor(cluster, 'zombie-runner-pod', 'r1')
  expect(steps).toEqual([])
})

function open(): DoctorCluster {
  const cluster = openDoctorCluster()
  cluster.registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  createController(cluster.registry)
  return cluster
}

function createRunner({ registry }: DoctorCluster, name: string, runnerName: string, phase = 'Running') {
  return createArc(registry, 'EphemeralRunner', { name }, { status: { phase, runnerId: 1, runnerName } })
}

function createZombie({ registry, clock }: DoctorCluster, metadata: Metadata): void {
  createPod(registry, metadata, { phase: 'Running', runner: ended(clock), docker: running(clock) })
}

async function planFor(cluster: DoctorCluster, rule: string, name: string, kind = 'Pod'): Promise<Plan> {
  const facts = await gatherLive(cluster)
  const findings = [{ rule, object: { apiVersion: '', kind, namespace: 'runners', name } }]
  return planRepair(facts, findings, planDefaults)
}
