// Objects without an owner, and controllers whose selectors match them.
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../pod-stage.fixture.ts'

const labels = { app: 'a' }
const template = { metadata: { labels }, spec: { containers: [containerOf('main')] } }
const setSpec = { replicas: 1, selector: { matchLabels: labels }, template }

function open() {
  const stage = openPodStage()
  const { registry, clock } = stage
  const owners = (resource: string) =>
    registry.list(resource, 'default').map(({ metadata }) => {
      const [owner] = metadata.ownerReferences ?? []
      return owner === undefined ? 'none' : `${owner.kind} ${owner.name}`
    })
  const create = async (resource: string, name: string, spec: object, metadata: object = {}) => {
    registry.create(resource, { metadata: { name, namespace: 'default', ...metadata }, spec })
    await clock.advance(1_000)
  }
  return { ...stage, owners, create }
}

test('a ReplicaSet adopts a pod that matches, and replaces one that no longer does', async () => {
  const { registry, clock, create, owners } = open()
  await create('pods', 'free', { containers: [containerOf('main')] }, { labels })
  await create('replicasets.apps', 'set', setSpec)
  expect(owners('pods')).toEqual(['ReplicaSet set'])
  const pod = registry.get('pods', 'default', 'free')
  registry.update('pods', { ...pod, metadata: { ...pod?.metadata, labels: { app: 'b' } } })
  await clock.advance(1_000)
  expect(owners('pods').sort()).toEqual(['ReplicaSet set', 'none'])
  expect(registry.get('pods', 'default', 'free')?.metadata.ownerReferences).toBeUndefined()
})

test('a Job takes back a pod that has lost its owner, with the finalizer that counts it', async () => {
  const { registry, clock, create, owners } = open()
  await create('jobs.batch', 'job', { template: { spec: { ...template.spec, restartPolicy: 'Never' } } })
  const [pod] = registry.list('pods')
  registry.update('pods', { ...pod, metadata: { ...pod?.metadata, ownerReferences: [], finalizers: [] } })
  await clock.advance(1_000)
  expect(owners('pods')).toEqual(['Job job'])
  expect(registry.list('pods')[0]?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking'])
})

test('a Deployment continues the revisions of a ReplicaSet that it adopts, also beyond 2^53', async () => {
  const { registry, create, owners } = open()
  const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' }
  await create('replicasets.apps', 'old', setSpec, { labels, annotations })
  const next = { metadata: { labels }, spec: { containers: [{ ...containerOf('main'), image: 'next:1' }] } }
  await create('deployments.apps', 'd', { ...setSpec, template: next })
  expect(owners('replicasets.apps')).toEqual(['Deployment d', 'Deployment d'])
  expect(registry.get('deployments.apps', 'default', 'd')?.metadata.annotations).toEqual({
    'deployment.kubernetes.io/revision': '3546343826724305833',
  })
})
