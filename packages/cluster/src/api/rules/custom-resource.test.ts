// A definition creates a kind. The recorded calls show what the API server makes of its objects.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, test } from 'vitest'
import { createStore } from '../../store/store.ts'
import { createRegistry } from '../create-registry.ts'
import { refusal } from '../refusal.fixture.ts'

type Json = Record<string, unknown>

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
const schema = {
  type: 'object',
  properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
}

function definition(change: Json = {}, openAPIV3Schema: Json = schema): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'runnersets.dayfly.dev' },
    spec: {
      group: 'dayfly.dev',
      scope: 'Namespaced',
      names: { plural: 'runnersets', kind: 'RunnerSet', shortNames: ['rs'] },
      versions: [
        { name: 'v1alpha1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
      ...change,
    },
  }
}

function world() {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  return registry
}

function withKind() {
  const registry = world()
  registry.create(definitions, definition())
  return registry
}

const set = (spec: Json, more: Json = {}): Json => ({
  apiVersion: 'dayfly.dev/v1alpha1',
  kind: 'RunnerSet',
  metadata: { name: 'linux', namespace: 'ci' },
  spec,
  ...more,
})

describe('a definition', () => {
  test('is established at once and creates the kind', () => {
    const registry = withKind()
    expect(registry.kinds.get('runnersets.dayfly.dev')).toMatchObject({
      plural: 'runnersets',
      singular: 'runnerset',
      listKind: 'RunnerSetList',
      namespaced: true,
      subresources: ['status'],
    })
    const status = registry.get(definitions, undefined, 'runnersets.dayfly.dev')?.['status']
    expect(status).toMatchObject({ conditions: [{ type: 'NamesAccepted' }, { type: 'Established', status: 'True' }] })
  })

  test.each([
    [
      definition({ group: 'other.dev' }),
      'metadata.name: Invalid value: "runnersets.dayfly.dev": must be spec.names.plural+"."+spec.group',
    ],
    [
      definition({}, { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a > 1' }] }),
      'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field \'a\'\n | self.a > 1\n | ....^',
    ],
    [
      definition({ conversion: { strategy: 'Webhook' } }),
      'spec.conversion.strategy: Forbidden: strategy Webhook is not supported by the embedded cluster. Use None',
    ],
  ])('refused %#', (object, text) => {
    const status = refusal(() => world().create(definitions, object))
    expect(status.code).toBe(422)
    expect(status.message).toBe(
      `CustomResourceDefinition.apiextensions.k8s.io "runnersets.dayfly.dev" is invalid: ${text}`,
    )
  })

  test('is deleted with its objects, and waits for those with finalizers', () => {
    const registry = withKind()
    const held = { metadata: { name: 'held', namespace: 'ci', finalizers: ['dayfly.dev/hold'] } }
    registry.create('runnersets.dayfly.dev', set({ scale: {} }))
    registry.create('runnersets.dayfly.dev', { ...set({ scale: {} }), ...held })
    registry.delete(definitions, undefined, 'runnersets.dayfly.dev')
    expect(registry.list('runnersets.dayfly.dev').map((object) => object.metadata.name)).toEqual(['held'])
    expect(refusal(() => registry.create('runnersets.dayfly.dev', set({ scale: {} })))).toMatchObject({
      code: 403,
      message:
        'runnersets.dayfly.dev "linux" is forbidden: create not allowed while custom resource definition is terminating',
    })
    const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const
    registry.patch('runnersets.dayfly.dev', { namespace: 'ci', name: 'held' }, release)
    expect(registry.get(definitions, undefined, 'runnersets.dayfly.dev')).toBeUndefined()
    expect(refusal(() => registry.list('runnersets.dayfly.dev')).message).toBe(
      'the server could not find the requested resource',
    )
  })
})
