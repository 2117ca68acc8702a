// Quotas count the stored objects, for each writer and in each order.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createStore } from '../../store/store.ts'
import { createRegistry } from '../create-registry.ts'
import { ApiError } from '../errors.ts'
import { field } from '../values/json.ts'

const namespace = 'ci'

function world() {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: namespace } })
  const quota = (hard: object, name = 'q', spec: object = {}) =>
    registry.create('resourcequotas', { metadata: { name, namespace }, spec: { hard, ...spec } })
  const pod = (name: string, requests: object = { cpu: '1' }, spec: object = {}) =>
    registry.create('pods', {
      metadata: { name, namespace },
      spec: { containers: [{ name: 'main', image: 'x:1', resources: { requests } }], ...spec },
    })
  const used = (name = 'q') => field(registry.get('resourcequotas', namespace, name), 'status', 'used')
  return { registry, quota, pod, used }
}

function refusal(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

describe('a quota', () => {
  test('counts what was there before it', () => {
    const { registry, quota, pod, used } = world()
    pod('a')
    pod('b', { cpu: '500m' })
    registry.update(
      'pods',
      { ...registry.get('pods', namespace, 'b'), status: { phase: 'Failed' } },
      { subresource: 'status' },
    )
    quota({ pods: '5', 'count/pods': '5', 'requests.cpu': '5', 'count/configmaps': '5' })
    expect(used()).toEqual({ pods: '1', 'count/pods': '2', 'requests.cpu': '1', 'count/configmaps': '0' })
  })

  test('refuses an object that a subscriber creates before the event of the last one arrives', () => {
    const { registry, quota, used } = world()
    quota({ 'count/secrets': '2' })
    const answers: (string | undefined)[] = []
    const create = (name: string) => registry.create('secrets', { metadata: { name, namespace } })
    registry.subscribe('configmaps', () => {
      for (const name of ['a', 'b', 'c']) answers.push(refusal(() => create(name)))
    })
    registry.create('configmaps', { metadata: { name: 'start', namespace } })
    const full = 'exceeded quota: q, requested: count/secrets=1, used: count/secrets=2, limited: count/secrets=2'
    expect(answers).toEqual([undefined, undefined, `secrets "c" is forbidden: ${full}`])
    expect(used()).toEqual({ 'count/secrets': '2' })
  })

  test('counts custom resources that are defined later', () => {
    const { registry, quota, used } = world()
    quota({ 'count/xs.a.dev': '1' })
    registry.create('customresourcedefinitions.apiextensions.k8s.io', {
      metadata: { name: 'xs.a.dev' },
      spec: {
        ...{ group: 'a.dev', scope: 'Namespaced', names: { plural: 'xs', kind: 'X' } },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })
    const create = (name: string) => registry.create('xs.a.dev', { kind: 'X', metadata: { name, namespace } })
    create('one')
    expect(refusal(() => create('two'))).toContain('exceeded quota: q, requested: count/xs.a.dev=1')
    registry.delete('xs.a.dev', namespace, 'one')
    expect(used()).toEqual({ 'count/xs.a.dev': '0' })
    expect(refusal(() => create('two'))).toBeUndefined()
  })

  test('limits a larger claim and a service of another type when they are updated', () => {
    const { registry, quota, used } = world()
    quota({
      'requests.storage': '10Gi',
      'services.nodeports': '0',
      'fast.storageclass.storage.k8s.io/requests.storage': '4Gi',
    })
    const claim = (storage: string) => ({
      metadata: { name: 'data', namespace },
      spec: { storageClassName: 'fast', resources: { requests: { storage } } },
    })
    registry.create('persistentvolumeclaims', claim('3Gi'))
    expect(refusal(() => registry.update('persistentvolumeclaims', claim('5Gi')))).toContain(
      'requested: fast.storageclass.storage.k8s.io/requests.storage=2Gi, used: fast.storageclass.storage.k8s.io/requests.storage=3Gi',
    )
    registry.update('persistentvolumeclaims', claim('4Gi'))
    expect(used()).toMatchObject({ 'requests.storage': '4Gi' })
    const service = (type: string) => ({ metadata: { name: 'web', namespace }, spec: { type, ports: [{ port: 80 }] } })
    registry.create('services', service('ClusterIP'))
    expect(refusal(() => registry.update('services', service('NodePort')))).toContain('requested: services.nodeports=1')
  })

  test('counts a pod that moves into its scope', () => {
    const { registry, quota, pod, used } = world()
    quota({ pods: '0' }, 'ending', { scopes: ['Terminating'] })
    quota({ pods: '9' }, 'other', { scopes: ['NotTerminating'] })
    pod('a')
    expect([used('ending'), used('other')]).toEqual([{ pods: '0' }, { pods: '1' }])
    const body = { spec: { activeDeadlineSeconds: 5 } }
    const move = () => registry.patch('pods', { namespace, name: 'a' }, { type: 'merge', body })
    expect(refusal(move)).toContain('exceeded quota: ending, requested: pods=1, used: pods=0, limited: pods=0')
    registry.delete('resourcequotas', namespace, 'ending')
    move()
    expect(used('other')).toEqual({ pods: '0' })
  })

  test('counts the same after any changes as one that is created afterwards', () => {
    const action = fc.record({
      what: fc.constantFrom('create', 'delete', 'end', 'limit'),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      cpu: fc.constantFrom('100m', '1', '1500m', '2'),
    })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const { registry, quota, pod, used } = world()
        const hard = { pods: '3', 'count/pods': '4', 'requests.cpu': '4' }
        quota(hard)
        for (const { what, name, cpu } of actions) {
          const known = registry.get('pods', namespace, name)
          if (what === 'create') refusal(() => pod(name, { cpu }))
          else if (what === 'limit') {
            registry.patch(
              'resourcequotas',
              { namespace, name: 'q' },
              { type: 'merge', body: { spec: { hard: { 'requests.cpu': cpu } } } },
            )
          } else if (known && what === 'delete') registry.delete('pods', namespace, name)
          else if (known)
            registry.update('pods', { ...known, status: { phase: 'Succeeded' } }, { subresource: 'status' })
        }
        quota(hard, 'afterwards')
        expect(used()).toEqual(used('afterwards'))
      }),
    )
  })
})

test('a status that a client overwrites is true again at once', () => {
  const { registry, quota, pod, used } = world()
  const made = quota({ pods: '2' })
  registry.update(
    'resourcequotas',
    { ...made, metadata: { ...made.metadata, resourceVersion: '' }, status: { used: { pods: '9' } } },
    { subresource: 'status' },
  )
  expect(used()).toEqual({ pods: '0' })
  pod('a')
  expect(used()).toEqual({ pods: '1' })
})
