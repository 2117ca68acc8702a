import { expect, test } from 'vitest'
import type { Profile } from '../api/api.ts'
import { field, isObject } from '../api/values/json.ts'
import { containerOf, openPodStage, podOf } from '../pod-stage.fixture.ts'

function openNamespace(profile: Profile = '1.36') {
  const stage = openPodStage({ scripts: { stubborn: { onTerm: 'ignored' } }, cluster: { profile } })
  stage.registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ci' } })
  const metadata = { name: 'data', namespace: 'ci' }
  stage.registry.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  const pod = podOf({ containers: [containerOf('stubborn')] })
  stage.registry.create('pods', { ...pod, metadata: { ...pod.metadata, namespace: 'ci' } })
  const conditions = () => {
    const all = field(stage.registry.get('namespaces', undefined, 'ci'), 'status', 'conditions')
    return (Array.isArray(all) ? all.filter(isObject) : [])
      .filter(({ status }) => status === 'True')
      .map(({ type, message }) => `${type}: ${message}`)
  }
  const hasData = () => stage.registry.get('configmaps', 'ci', 'data') !== undefined
  return { ...stage, conditions, hasData }
}

test('empties a deleted namespace, pods first, and reports what remains', async () => {
  const stage = openNamespace()
  await stage.clock.advance(1_000)
  stage.registry.delete('namespaces', undefined, 'ci')
  await stage.clock.advance(5_000)
  expect(field(stage.registry.get('namespaces', undefined, 'ci'), 'status', 'phase')).toBe('Terminating')
  expect(stage.conditions()).toEqual([
    'NamespaceContentRemaining: Some resources are remaining: pods. has 1 resource instances',
  ])
  expect(stage.hasData()).toBe(true)
  await stage.clock.advance(60_000)
  expect(stage.registry.get('namespaces', undefined, 'ci')).toBeUndefined()
  expect(stage.registry.list('events', 'ci')).toEqual([])
  expect(stage.runtime.running()).toBe(0)
})

test('deletes everything at once before Kubernetes 1.33', async () => {
  const stage = openNamespace('1.32')
  await stage.clock.advance(1_000)
  stage.registry.delete('namespaces', undefined, 'ci')
  await stage.clock.advance(5_000)
  expect(stage.hasData()).toBe(false)
  expect(stage.conditions()).toHaveLength(1)
})

test('reports the finalizer of an object that holds the namespace', async () => {
  const stage = openNamespace()
  const pod = stage.registry.get('pods', 'ci', 'p')
  stage.registry.update('pods', { ...pod, metadata: { ...pod?.metadata, finalizers: ['example.com/hold'] } })
  stage.registry.delete('namespaces', undefined, 'ci')
  await stage.clock.advance(60_000)
  expect(stage.conditions()).toContain(
    'NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  )
  const held = stage.registry.get('pods', 'ci', 'p')
  stage.registry.update('pods', { ...held, metadata: { ...held?.metadata, finalizers: [] } })
  await stage.clock.advance(1_000)
  expect(stage.registry.get('namespaces', undefined, 'ci')).toBeUndefined()
})
