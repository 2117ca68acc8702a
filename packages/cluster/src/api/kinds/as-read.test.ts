// Objects that are older than the defaults of their definition.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createStore } from '../../store/store.ts'
import { createRegistry } from '../create-registry.ts'
import { asRead } from './as-read.ts'

const [definitions, things] = ['customresourcedefinitions.apiextensions.k8s.io', 'things.a.dev']

function definition(parts: object) {
  const spec = { type: 'object', properties: { parts } }
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return {
    metadata: { name: things },
    spec: {
      ...{ group: 'a.dev', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

test.each([
  ['of items', (inner: object) => ({ type: 'array', items: inner }), [{}, { size: 2 }], [{ size: 1 }, { size: 2 }]],
  ['of values', (inner: object) => ({ type: 'object', additionalProperties: inner }), { a: {} }, { a: { size: 1 } }],
] as const)(
  'a reader gets the defaults %s that a definition has now, and the stored object keeps its fields',
  (_, around, given, expected) => {
    const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
    const plain = { type: 'object', properties: { size: { type: 'integer' } } }
    registry.create(definitions, definition(around(plain)))
    const spec = { parts: given }
    const thing = registry.create(things, { apiVersion: 'a.dev/v1', kind: 'Thing', metadata: { name: 't' }, spec })
    const read = () => {
      const [kind, stored] = [registry.kinds.get(things), registry.get(things, undefined, 't')]
      return kind && stored && asRead(stored, kind, 'v1')
    }
    expect(read()).toBe(thing)
    const next = definition(around({ ...plain, properties: { size: { type: 'integer', default: 1 } } }))
    registry.update(definitions, { ...registry.get(definitions, undefined, things), spec: next.spec })
    expect(read()?.['spec']).toEqual({ parts: expected })
    expect(registry.get(things, undefined, 't')).toBe(thing)
  },
)
