// Evictions beside PodDisruptionBudgets, whose status the disruption controller keeps.
import { jsonBody } from '@dayfly/kit/http'
import { timestamp } from '@dayfly/kit/timestamp'
import { expect, test } from 'vitest'
import { ownerReference } from '../controllers/owners.ts'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'

function open(budget: object) {
  const stage = openPodStage()
  const { cluster, registry, clock } = stage
  registry.create('poddisruptionbudgets.policy', {
    metadata: { name: 'b', namespace: 'default' },
    spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }] }, ...budget },
  })
  const evict = async (name: string, deleteOptions: object = {}) => {
    const path = `/api/v1/namespaces/default/pods/${name}/eviction`
    const body = jsonBody({ metadata: { name }, deleteOptions })
    const send = cluster.transport('tester')
    const answer = await send({ method: 'POST', path, query: {}, headers: {}, body, expect: 'whole' })
    const value = answer.body.kind === 'json' ? answer.body.value : undefined
    return { status: answer.status, value }
  }
  /** Nothing runs a StatefulSet here, so its pods are those of the test. */
  const ownerOf = (replicas: number) =>
    ownerReference(
      registry.create('statefulsets.apps', {
        metadata: { name: 's', namespace: 'default' },
        spec: { replicas, selector: {}, template: {}, serviceName: '' },
      }),
    )
  const start = async (names: readonly string[], owner?: object) => {
    // The controller sees the budget before its pods.
    await clock.advance(0)
    for (const name of names) {
      registry.create('pods', {
        metadata: { name, namespace: 'default', labels: { app: 'a' }, ownerReferences: owner && [owner] },
        spec: { containers: [containerOf('main')] },
      })
    }
    await clock.advance(5_000)
  }
  return { ...stage, evict, start, ownerOf }
}

const cause = (needed: number, healthy: number) => ({
  details: {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget b needs ${needed} healthy pods and has ${healthy} currently`,
      },
    ],
  },
})

test.each([
  ['a minimum', { minAvailable: 2 }, 2],
  ['a maximum', { maxUnavailable: 1 }, 2],
  ['a percentage', { minAvailable: '50%' }, 2],
])('a budget with %s allows one eviction of three and no second', async (_, budget, needed) => {
  const { evict, start, ownerOf, registry, clock } = open(budget)
  await start(['one', 'two', 'three'], ownerOf(3))
  expect(registry.get('poddisruptionbudgets.policy', 'default', 'b')?.['status']).toMatchObject({
    ...{ currentHealthy: 3, desiredHealthy: needed, expectedPods: 3, disruptionsAllowed: 1, observedGeneration: 1 },
    conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }],
  })
  expect(await evict('one', { gracePeriodSeconds: 7 })).toMatchObject({ status: 201, value: { status: 'Success' } })
  expect(registry.get('pods', 'default', 'one')).toMatchObject({
    metadata: { deletionGracePeriodSeconds: 7 },
    status: { conditions: expect.arrayContaining([expect.objectContaining({ reason: 'EvictionByEvictionAPI' })]) },
  })
  expect(await evict('two')).toMatchObject({ status: 429, value: cause(needed, 2) })
  await clock.advance(60_000)
  expect(registry.get('pods', 'default', 'one')).toBeUndefined()
})

test('a pod that is not ready may go while enough others are healthy', async () => {
  const { evict, start, registry, clock } = open({ minAvailable: 1 })
  await start(['one', 'two'])
  const two = registry.get('pods', 'default', 'two')
  const conditions = [{ type: 'Ready', status: 'False' }]
  registry.update('pods', { ...two, status: { phase: 'Running', conditions } }, { subresource: 'status' })
  await clock.advance(0)
  expect((await evict('one')).status).toBe(429)
  expect((await evict('two')).status).toBe(201)
})

test.each([
  ['counts no replicas for pods without an owner', undefined, 'does not allow evicting pods currently'],
  [
    'cannot count the replicas of a CronJob',
    { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', controller: true },
    'does not allow evicting pods currently because it failed sync: cronjobs.batch does not implement the scale subresource',
  ],
])('a budget with a maximum %s, and allows no eviction', async (_, owner, message) => {
  const { evict, start, registry } = open({ maxUnavailable: 1 })
  const { uid } = registry.create('cronjobs.batch', { metadata: { name: 'c', namespace: 'default' } }).metadata
  await start(['one'], owner && { ...owner, uid })
  const causes = [{ reason: 'DisruptionBudget', message: `The disruption budget b ${message}` }]
  expect(await evict('one')).toMatchObject({ status: 429, value: { details: { causes } } })
})

test('an evicted pod that nobody deletes counts as healthy again after two minutes', async () => {
  const { start, registry, clock } = open({ minAvailable: 1 })
  await start(['one', 'two'])
  const budget = registry.get('poddisruptionbudgets.policy', 'default', 'b')
  const status = { ...Object(budget?.['status']), disruptedPods: { one: timestamp(clock.now()), gone: timestamp(0) } }
  registry.update('poddisruptionbudgets.policy', { ...budget, status }, { subresource: 'status' })
  const now = () => registry.get('poddisruptionbudgets.policy', 'default', 'b')?.['status']
  await clock.advance(119_000)
  expect(now()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0, disruptedPods: { one: expect.anything() } })
  expect(now()).not.toHaveProperty('disruptedPods.gone')
  await clock.advance(2_000)
  expect(now()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 })
})
