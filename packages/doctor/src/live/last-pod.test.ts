// A Job without retries counts its deleted pod as failed. The plan says so where that is a loss, and names another way.
import { expect, test } from 'vitest'
import { createPod, type DoctorCluster, ended, openDoctorCluster, ownedBy, running } from './doctor-cluster.fixture.ts'
import { gatherLive } from './gather.ts'
import { type Plan, planRepair } from './plan.ts'
import { planDefaults } from './plan-options.ts'

test('says that the Job ends as Failed although its runner succeeded, and how to avoid it', async () => {
  const { steps, guided } = await planFor(zombieOf({ backoffLimit: 0 }, 0))
  expect(steps).toMatchObject([{ action: { do: 'delete', target: { resource: { kind: 'Pod' }, name: 'r1' } } }])
  expect(steps[0]?.evidence.says).toMatch(
    /Job j counts the deleted pod as failed \(backoffLimit 0\), so it ends as Failed/,
  )
  expect(guided.map(({ advice }) => advice)).toEqual([
    expect.stringContaining('kubectl exec -n runners r1 -c docker -- kill 1'),
  ])
})

test('says nothing of it if the runner failed too', async () => {
  const { steps, guided } = await planFor(zombieOf({ backoffLimit: 0 }, 1))
  expect(steps).toHaveLength(1)
  expect(steps[0]?.evidence.says).not.toContain('Failed')
  expect(guided).toEqual([])
})

test('says nothing of it if the Job waits until its pod has ended', async () => {
  const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }]
  for (const spec of [{ podReplacementPolicy: 'Failed' }, { podFailurePolicy: { rules } }]) {
    const { steps, guided } = await planFor(zombieOf({ backoffLimit: 0, ...spec }, 0))
    expect(steps).toHaveLength(1)
    expect(guided).toEqual([])
  }
})

test('says nothing of it if the plan deletes the Job, which would retry', async () => {
  const { steps, guided } = await planFor(zombieOf({ backoffLimit: 6 }, 0))
  expect(steps).toMatchObject([{ action: { target: { resource: { kind: 'Job' } } } }])
  expect(guided).toEqual([])
})

function zombieOf(fields: object, exitCode: number): DoctorCluster {
  const cluster = openDoctorCluster()
  const { registry, clock } = cluster
  registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } }
  const metadata = { name: 'j', namespace: 'runners' }
  const job = registry.create('jobs.batch', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { ...fields, template },
  })
  const look = { phase: 'Running', runner: ended(clock, 600_000, exitCode), docker: running(clock) } as const
  createPod(registry, { name: 'r1', ownerReferences: ownedBy(job) }, look)
  return cluster
}

async function planFor(cluster: DoctorCluster): Promise<Plan> {
  const object = { apiVersion: '', kind: 'Pod', namespace: 'runners', name: 'r1' }
  return planRepair(await gatherLive(cluster), [{ rule: 'zombie-runner-pod', object }], planDefaults)
}
