// Evictions beside PodDisruptionBudgets, whose pods the server counts at each request.
import { jsonBody } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
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
  const start = async (...names: readonly string[]) => {
    for (const name of names) {
      registry.create('pods', {
        metadata: { name, namespace: 'default', labels: { app: 'a' } },
        spec: { containers: [containerOf('main')] },
      })
    }
    await clock.advance(5_000)
  }
  return { ...stage, evict, start }
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
  const { evict, start, registry, clock } = open(budget)
  await start('one', 'two', 'three')
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
  const { evict, start, registry } = open({ minAvailable: 1 })
  await start('one', 'two')
  const two = registry.get('pods', 'default', 'two')
  const conditions = [{ type: 'Ready', status: 'False' }]
  registry.update('pods', { ...two, status: { phase: 'Running', conditions } }, { subresource: 'status' })
  expect((await evict('one')).status).toBe(429)
  expect((await evict('two')).status).toBe(201)
})
