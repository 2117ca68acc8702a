import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { expect, test } from 'vitest'
import { containerOf, openPodStage, podOf } from '../pod-stage.fixture.ts'
import type { StoredObject } from '../store/object.ts'

type Stage = ReturnType<typeof openPodStage>
type Meta = Partial<StoredObject['metadata']>

function configMap(stage: Stage, name: string, metadata: Meta = {}): StoredObject {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', ...metadata } }
  return stage.registry.create('configmaps', object)
}

function ownedBy(owner: StoredObject, more: object = {}) {
  const { apiVersion, kind, metadata } = owner
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more }
}

const names = (stage: Stage) => {
  const all = stage.registry.list('configmaps').map(({ metadata }) => metadata.name)
  return all.filter((name) => name !== 'kube-root-ca.crt')
}

async function removed(stage: Stage, name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan') {
  stage.registry.delete('configmaps', 'default', name, { propagationPolicy })
  await stage.clock.advance(10)
}

test('background: deletes dependents after their owner, and then the dependents of these', async () => {
  const stage = openPodStage()
  const owner = configMap(stage, 'owner')
  const child = configMap(stage, 'child', { ownerReferences: [ownedBy(owner)] })
  configMap(stage, 'grandchild', { ownerReferences: [ownedBy(child)] })
  configMap(stage, 'stranger')
  await removed(stage, 'owner', 'Background')
  expect(names(stage)).toEqual(['stranger'])
})

test('deletes the dependents of an owner whose kind is gone together with it', async () => {
  const stage = openPodStage()
  stage.registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  await stage.clock.advance(10)
  const spec = { github: { url: 'https://github.com/acme', credentials: { secret: 'forge' } }, scale: { max: 1 } }
  const metadata = { name: 'linux', namespace: 'default' }
  const set = { apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata, spec }
  const owner = stage.registry.create('runnersets.dayfly.dev', set)
  configMap(stage, 'child', { ownerReferences: [ownedBy(owner)] })
  stage.registry.delete('customresourcedefinitions.apiextensions.k8s.io', undefined, 'runnersets.dayfly.dev')
  await stage.clock.advance(10)
  expect(names(stage)).toEqual([])
})

test('orphan: keeps dependents and removes their owner reference', async () => {
  const stage = openPodStage()
  const owner = configMap(stage, 'owner')
  configMap(stage, 'child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] })
  await removed(stage, 'owner', 'Orphan')
  expect(names(stage)).toEqual(['child'])
  expect(stage.registry.get('configmaps', 'default', 'child')?.metadata.ownerReferences ?? []).toEqual([])
})

test('foreground: keeps the owner while blocking dependents exist, and does not wait for others', async () => {
  const stage = openPodStage()
  const owner = configMap(stage, 'owner')
  const held = { finalizers: ['example.com/hold'] }
  const blocking = configMap(stage, 'blocking', {
    ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
    ...held,
  })
  configMap(stage, 'other', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: false })], ...held })
  configMap(stage, 'free', { ownerReferences: [ownedBy(owner)] })
  await removed(stage, 'owner', 'Foreground')
  expect(names(stage)).toEqual(['blocking', 'other', 'owner'])
  const { metadata } = stage.registry.get('configmaps', 'default', 'blocking') ?? blocking
  expect(metadata.deletionTimestamp).toBeDefined()
  stage.registry.update('configmaps', { ...blocking, metadata: { ...metadata, finalizers: [] } })
  await stage.clock.advance(10)
  expect(names(stage)).toEqual(['other'])
})

test('keeps an object as long as one of its owners, and removes its other owner references', async () => {
  const stage = openPodStage()
  const one = configMap(stage, 'one')
  const two = configMap(stage, 'two')
  configMap(stage, 'child', { ownerReferences: [ownedBy(one), ownedBy(two)] })
  await removed(stage, 'one', 'Background')
  const child = stage.registry.get('configmaps', 'default', 'child')
  expect(child?.metadata.ownerReferences).toEqual([ownedBy(two)])
  await removed(stage, 'two', 'Background')
  expect(names(stage)).toEqual([])
})

test('matches an owner by uid in the same namespace: any other reference counts as absent', async () => {
  const stage = openPodStage()
  const owner = configMap(stage, 'owner')
  const elsewhere = configMap(stage, 'elsewhere', { namespace: 'kube-system' })
  configMap(stage, 'wrong-uid', { ownerReferences: [ownedBy(owner, { uid: 'other' })] })
  configMap(stage, 'wrong-namespace', { ownerReferences: [ownedBy(elsewhere)] })
  configMap(stage, 'unknown-kind', {
    ownerReferences: [ownedBy(owner, { apiVersion: 'example.com/v1', kind: 'Thing' })],
  })
  await stage.clock.advance(10)
  expect(names(stage)).toEqual(['owner', 'unknown-kind', 'elsewhere'])
})

test('deletes a Secret with its owning pod, after the pod has ended on its node', async () => {
  const stage = openPodStage()
  const pod = stage.registry.create('pods', podOf({ containers: [containerOf('runner')] }))
  const metadata = { name: 's', namespace: 'default', ownerReferences: [ownedBy(pod)] }
  stage.registry.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata })
  await stage.clock.advance(1_000)
  stage.registry.delete('pods', 'default', 'p')
  expect(stage.registry.get('secrets', 'default', 's')).toBeDefined()
  await stage.clock.advance(1_000)
  expect(stage.registry.get('secrets', 'default', 's')).toBeUndefined()
})

test('removes a circle of owners, each of which blocks the next one', async () => {
  const stage = openPodStage()
  const circle = ['one', 'two', 'three'].map((name) => configMap(stage, name))
  for (const [index, object] of circle.entries()) {
    const owner = circle[(index + 2) % 3] ?? object
    const ownerReferences = [ownedBy(owner, { blockOwnerDeletion: true })]
    stage.registry.update('configmaps', { ...object, metadata: { ...object.metadata, ownerReferences } })
  }
  await stage.clock.advance(10)
  stage.registry.delete('configmaps', 'default', 'one', { propagationPolicy: 'Foreground' })
  await stage.clock.advance(10)
  expect(names(stage)).toEqual([])
})

test('follows owners of kinds that are defined later', async () => {
  const stage = openPodStage()
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  stage.registry.create('customresourcedefinitions.apiextensions.k8s.io', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  await stage.clock.advance(10)
  const metadata = { name: 't', namespace: 'default' }
  const thing = stage.registry.create('things.example.com', { apiVersion: 'example.com/v1', kind: 'Thing', metadata })
  configMap(stage, 'child', { ownerReferences: [ownedBy(thing)] })
  await stage.clock.advance(10)
  stage.registry.delete('things.example.com', 'default', 't')
  await stage.clock.advance(10)
  expect(stage.registry.get('configmaps', 'default', 'child')).toBeUndefined()
})
