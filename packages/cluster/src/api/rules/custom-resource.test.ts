// A definition creates a kind. The API server prunes, fills in and refuses its objects like kube-apiserver.
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
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['scale'],
      properties: {
        scale: {
          type: 'object',
          properties: {
            min: { type: 'integer', minimum: 0, default: 0 },
            max: { type: 'integer', minimum: 1 },
          },
        },
        docker: { type: 'string', enum: ['none', 'sidecar'], default: 'none' },
        keep: { type: 'string', pattern: '^[0-9]+s$', nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        labels: {
          type: 'array',
          maxItems: 2,
          'x-kubernetes-list-type': 'set',
          items: { type: 'string', minLength: 1 },
        },
        vars: { type: 'object', additionalProperties: { type: 'string' } },
        template: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
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
      definition({ scope: 'Galaxy' }),
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ],
    [
      definition({}, { type: 'object', properties: { spec: { type: 'object', properties: { a: {} } } } }),
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
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

describe('an object', () => {
  test('is pruned and filled in, with a warning for each unknown field', () => {
    const warnings: string[] = []
    const stored = withKind().create(
      'runnersets.dayfly.dev',
      set({ scale: { max: 3, mox: 1 }, template: { spec: { any: 1 } }, extra: 1 }, { status: { ready: true } }),
      { warn: (warning) => warnings.push(warning) },
    )
    expect(stored['spec']).toEqual({ scale: { min: 0, max: 3 }, docker: 'none', template: { spec: { any: 1 } } })
    expect(stored).not.toHaveProperty('status')
    expect(stored.metadata.generation).toBe(1)
    expect(warnings).toEqual(['unknown field "spec.extra"', 'unknown field "spec.scale.mox"'])
  })

  test('is refused for an unknown field if validation is strict', () => {
    const create = () =>
      withKind().create('runnersets.dayfly.dev', set({ scale: {}, extra: 1 }), { fieldValidation: 'Strict' })
    expect(refusal(create).message).toBe(
      'RunnerSet in version "v1alpha1" cannot be handled as a RunnerSet: strict decoding error: unknown field "spec.extra"',
    )
  })

  test.each([
    [{}, 'spec.scale: Required value'],
    [
      { scale: { max: 'x' } },
      'spec.scale.max: Invalid value: "string": spec.scale.max in body must be of type integer: "string"',
    ],
    [
      { scale: { max: 0 } },
      'spec.scale.max: Invalid value: 0: spec.scale.max in body should be greater than or equal to 1',
    ],
    [{ scale: {}, docker: 'x' }, 'spec.docker: Unsupported value: "x": supported values: "none", "sidecar"'],
    [{ scale: {}, keep: '1m' }, `spec.keep: Invalid value: "1m": spec.keep in body should match '^[0-9]+s$'`],
    [{ scale: {}, labels: ['a', 'b', 'c'] }, 'spec.labels: Too many: 3: must have at most 2 items'],
    [{ scale: {}, labels: ['a', 'a'] }, 'spec.labels[1]: Duplicate value: "a"'],
    [
      { scale: {}, labels: [''] },
      'spec.labels[0]: Invalid value: "": spec.labels[0] in body should be at least 1 chars long',
    ],
    [
      { scale: {}, vars: { A: 1 } },
      'spec.vars.A: Invalid value: "integer": spec.vars.A in body must be of type string: "integer"',
    ],
  ])('refused: %j', (spec, text) => {
    const status = refusal(() => withKind().create('runnersets.dayfly.dev', set(spec)))
    expect(status.code).toBe(422)
    expect(status.message).toBe(`RunnerSet.dayfly.dev "linux" is invalid: ${text}`)
  })

  test('may have nulls and both types where the schema allows them', () => {
    const stored = withKind().create('runnersets.dayfly.dev', set({ scale: {}, keep: null, port: 'http' }))
    expect(stored['spec']).toMatchObject({ keep: null, port: 'http' })
  })

  test('has separate writes of status and spec, and only the spec increments the generation', () => {
    const registry = withKind()
    const stored = registry.create('runnersets.dayfly.dev', set({ scale: { max: 1 } }))
    const both = { ...stored, spec: { scale: { max: 2 } }, status: { ready: true } }
    const reported = registry.update('runnersets.dayfly.dev', both, { subresource: 'status' })
    expect(reported).toMatchObject({
      spec: { scale: { max: 1 } },
      status: { ready: true },
      metadata: { generation: 1 },
    })
    const changed = registry.update('runnersets.dayfly.dev', { ...both, metadata: reported.metadata, status: {} })
    expect(changed).toMatchObject({ spec: { scale: { max: 2 } }, status: { ready: true }, metadata: { generation: 2 } })
    const { resourceVersion: _, ...unversioned } = changed.metadata
    expect(refusal(() => registry.update('runnersets.dayfly.dev', { ...changed, metadata: unversioned })).message).toBe(
      'runnersets.dayfly.dev "linux" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    )
  })
})
