// Deployments on the whole embedded cluster, on a virtual clock.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { field, integer, objectAt, text } from '../../api/values/json.ts'
import { containerOf, openPodStage } from '../../pod-stage.fixture.ts'

const resource = 'deployments.apps'

function open(spec: object = {}, scripts = {}) {
  const stage = openPodStage({ scripts })
  const template = (word: string) => ({ metadata: { labels: { app: 'a' } }, spec: { containers: [containerOf(word)] } })
  stage.registry.create(resource, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'a' } }, template: template('one'), ...spec },
  })
  const change = (body: object) =>
    stage.registry.patch(resource, { namespace: 'default', name: 'web' }, { type: 'merge', body: { spec: body } })
  const deployment = () => stage.registry.get(resource, 'default', 'web')
  const pods = () => stage.registry.list('pods').filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const words = () => pods().map(wordOf)
  return { ...stage, template, change, deployment, pods, words }
}

function wordOf(pod: object): string {
  const containers = field(pod, 'spec', 'containers')
  return Array.isArray(containers) ? text(containers[0], 'name') : ''
}

test('creates its pods, replaces one that ends, and deletes the surplus', async () => {
  const stage = open()
  await stage.clock.advance(2_000)
  expect(stage.words()).toEqual(['one', 'one', 'one'])
  expect(objectAt(stage.deployment(), 'status')).toMatchObject({
    replicas: 3,
    availableReplicas: 3,
    updatedReplicas: 3,
  })
  stage.registry.delete('pods', 'default', stage.pods()[0]?.metadata.name ?? '')
  await stage.clock.advance(40_000)
  expect(stage.words()).toEqual(['one', 'one', 'one'])
  stage.change({ replicas: 1 })
  await stage.clock.advance(40_000)
  expect(stage.words()).toEqual(['one'])
})

test('a new template replaces every pod and never leaves fewer than allowed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.nat(2),
      fc.nat(2),
      async (replicas, maxSurge, maxUnavailable) => {
        fc.pre(maxSurge + maxUnavailable > 0)
        const stage = open({ replicas, strategy: { rollingUpdate: { maxSurge, maxUnavailable } } })
        await stage.clock.advance(2_000)
        stage.change({ template: stage.template('two') })
        for (let step = 0; step < 60; step++) {
          await stage.clock.advance(1_000)
          const status = objectAt(stage.deployment(), 'status')
          expect(integer(status, 'availableReplicas')).toBeGreaterThanOrEqual(replicas - maxUnavailable)
          expect(stage.pods().length).toBeLessThanOrEqual(replicas + maxSurge)
        }
        expect(stage.words()).toEqual(Array.from({ length: replicas }, () => 'two'))
        await stage.cluster.stop()
      },
    ),
    { numRuns: 10 },
  )
})

test('Recreate waits for the end of the old pods', async () => {
  const stage = open({ strategy: { type: 'Recreate', rollingUpdate: null } }, { one: { onTerm: 'ignored' } })
  await stage.clock.advance(2_000)
  stage.change({ template: stage.template('two') })
  await stage.clock.advance(10_000)
  expect(stage.words()).toEqual([])
  await stage.clock.advance(30_000)
  expect(stage.words()).toEqual(['two', 'two', 'two'])
})

test('a paused Deployment keeps its pods', async () => {
  const stage = open()
  await stage.clock.advance(2_000)
  stage.change({ paused: true, template: stage.template('two') })
  await stage.clock.advance(5_000)
  expect(stage.words()).toEqual(['one', 'one', 'one'])
  stage.change({ paused: false })
  await stage.clock.advance(60_000)
  expect(stage.words()).toEqual(['two', 'two', 'two'])
})

test('a refused pod is an Event, and is tried again', async () => {
  const stage = open({
    replicas: 1,
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { serviceAccountName: 'later', containers: [containerOf('one')] },
    },
  })
  await stage.clock.advance(3_000)
  const [event] = stage.registry.list('events').filter((one) => one['reason'] === 'FailedCreate')
  expect(event?.['message']).toContain('error looking up service account default/later')
  stage.registry.create('serviceaccounts', { metadata: { name: 'later', namespace: 'default' } })
  await stage.clock.advance(3_000)
  expect(stage.words()).toEqual(['one'])
})

test('a deleted Deployment leaves no ReplicaSet and no pod', async () => {
  const stage = open()
  await stage.clock.advance(2_000)
  stage.registry.delete(resource, 'default', 'web')
  await stage.clock.advance(60_000)
  expect([...stage.registry.list('replicasets.apps'), ...stage.registry.list('pods')]).toEqual([])
})
