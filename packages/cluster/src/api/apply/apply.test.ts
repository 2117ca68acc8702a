// Server-side apply beyond the recorded calls: what holds for any configuration. recorded.test.ts compares single calls with
// kube-apiserver.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createStore } from '../../store/store.ts'
import { createRegistry } from '../create-registry.ts'
import { refusal } from '../refusal.fixture.ts'

function setUp() {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'default' } })
  const at = { namespace: 'default', name: 'it' }
  const apply = (manager: string, more: object, force = true) => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'it' }, ...more }
    return registry.apply('configmaps', at, { config, client: { name: manager, version: 'v1' }, force }).object
  }
  return { registry, at, apply }
}

const data = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'))
const finalizers = fc.uniqueArray(fc.constantFrom('a/b', 'c/d', 'e/f'))
const configs = fc.record({ data, finalizers, labels: data })
const order = (config: { data: object; finalizers: string[]; labels: object }) => ({
  data: config.data,
  metadata: { name: 'it', finalizers: config.finalizers, labels: config.labels },
})

describe('after any sequence of applies', () => {
  test('the object contains what was applied last', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('one', 'two', 'three'), configs), { minLength: 1 }), (writes) => {
        const { apply } = setUp()
        for (const [manager, config] of writes) {
          const written = apply(manager, order(config))
          expect(written['data'] ?? {}).toMatchObject(config.data)
          expect(written.metadata.labels ?? {}).toMatchObject(config.labels)
          expect(written.metadata.finalizers ?? []).toEqual(expect.arrayContaining(config.finalizers))
        }
      }),
    )
  })

  test('a repeated apply writes nothing', () => {
    fc.assert(
      fc.property(configs, configs, (one, two) => {
        const { apply } = setUp()
        apply('one', order(one))
        const first = apply('two', order(two))
        expect(apply('two', order(two)).metadata.resourceVersion).toBe(first.metadata.resourceVersion)
      }),
    )
  })

  test('nothing remains when every client gives up its fields', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('one', 'two', 'three'), configs)), (writes) => {
        const { apply } = setUp()
        for (const [manager, config] of writes) apply(manager, order(config))
        for (const manager of ['one', 'two', 'three']) apply(manager, {})
        const { metadata, ...rest } = apply('one', {})
        expect(rest['data']).toBeUndefined()
        expect([metadata.labels ?? {}, metadata.finalizers ?? [], metadata.managedFields]).toEqual([{}, [], undefined])
      }),
    )
  })
})

test('a value that a part of the cluster wrote has no owner, so the next apply takes it', () => {
  const { registry, apply } = setUp()
  apply('one', { data: { a: '1' } })
  const change = { type: 'merge', body: { data: { b: '2' } } } as const
  registry.patch('configmaps', { namespace: 'default', name: 'it' }, change)
  expect(apply('two', { data: { b: '3' } }, false)['data']).toEqual({ a: '1', b: '3' })
})

test('malformed managed fields of a client leave the known ones in place', () => {
  const { registry, at, apply } = setUp()
  const known = apply('one', { data: { a: '1' } })
  const managedFields = [{ manager: 'x', operation: 'Apply', fieldsV1: { 'k:{': {} } }]
  const next = { ...known, data: { a: '2' }, metadata: { ...known.metadata, managedFields } }
  registry.update('configmaps', next, { client: { name: 'two', version: 'v1' } })
  const stored = registry.get('configmaps', at.namespace, at.name)
  expect(stored?.metadata.managedFields).toMatchObject([{ manager: 'two', operation: 'Update' }])
  expect(refusal(() => apply('one', { data: { a: '1' } }, false)).message).toContain('conflict with "two" using v1')
})
