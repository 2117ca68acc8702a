// Server-side apply: several clients apply, replace and patch the same objects.
import { apply, type Call, del, get, namespaced, patch, pod, post, put } from './call.fixture.ts'

type Json = Readonly<Record<string, unknown>>

const at = `${namespaced}/configmaps/owned`
const config = (data: Json, metadata: Json = {}, more: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'owned', ...metadata },
  data,
  ...more,
})
const owners = (call: Call): Call => ({ ...call, owners: true })
const as = (fieldManager: string, call: Call): Call => ({
  ...call,
  query: { ...call.query, fieldManager },
  owners: true,
})

const asking = (query: Record<string, string>, call: Call): Call => ({ ...call, query: { ...call.query, ...query } })

const simple: readonly Call[] = [
  apply('no manager', at, '', config({ a: '1' })),
  apply('create', at, 'one', config({ a: '1', b: '2' }, { labels: { app: 'x' } })),
  apply('again', at, 'one', config({ a: '1', b: '2' }, { labels: { app: 'x' } })),
  apply('the same value', at, 'two', config({ a: '1', c: '3' })),
  apply('another value', at, 'two', config({ a: '2', c: '3' })),
  apply('two other values', at, 'three', config({ a: '2', c: '4' })),
  asking({ dryRun: 'All' }, apply('a dry run', at, 'three', config({ d: '4' }))),
  asking({ force: 'true' }, apply('by force', at, 'three', config({ a: '2', c: '3' }))),
  apply('fewer fields', at, 'one', config({}, { labels: { app: 'x' } })),
  apply('no label', at, 'one', config({ b: '5' })),
  apply('only a shared field less', at, 'two', config({})),
  as('editor', patch('apply: a patch', at, 'merge', { data: { b: '6', e: '7' } })),
  apply('a patched field', at, 'one', config({ b: '7' })),
  as('putter', put('apply: a replacement', at, [{ op: 'replace', path: '/data', value: { b: '8' } }])),
  apply('with finalizers', at, 'one', config({}, { finalizers: ['a/b', 'c/d'], annotations: { n: 'm' } })),
  apply('with other finalizers', at, 'two', config({}, { finalizers: ['e/f', 'a/b'] })),
  apply('without finalizers', at, 'one', config({})),
  apply('no finalizer at all', at, 'two', config({})),
  asking({ force: 'true' }, apply('immutable', at, 'two', config({ z: '1' }, {}, { immutable: true }))),
  asking({ force: 'true' }, apply('against the rule', at, 'two', config({ z: '2' }, {}, { immutable: true }))),
  owners(put('apply: owners removed', at, [{ op: 'add', path: '/metadata/managedFields', value: [{}] }])),
  owners(get('apply: read', at)),
  del('apply: delete', at),
]

const refused: readonly Call[] = [
  apply('an unknown field', at, 'one', config({ a: '1' }, {}, { datum: {} })),
  asking({ fieldValidation: 'Strict' }, apply('an unknown field, strict', at, 'one', config({}, {}, { datum: {} }))),
  apply('a wrong type', at, 'one', config({ a: 1 })),
  apply('a list for an object', at, 'one', { ...config({}), data: [] }),
  apply('another kind', at, 'one', { ...config({}), kind: 'Secret' }),
  apply('no kind', at, 'one', { metadata: { name: 'owned' } }),
  apply('another name', at, 'one', config({}, { name: 'other' })),
  apply('no name', at, 'one', { ...config({}), metadata: {} }),
  apply('another namespace', at, 'one', config({}, { namespace: 'other' })),
  apply('owners in the configuration', at, 'one', config({}, { managedFields: [{ manager: 'x' }] })),
  apply('a uid', at, 'one', config({}, { uid: '1' })),
  apply('a version', at, 'one', config({}, { resourceVersion: '1' })),
  apply('a bad label', at, 'one', config({}, { labels: { 'a b': '1' } })),
  asking({ force: 'maybe' }, apply('a bad force', at, 'one', config({}))),
  as('editor', { ...patch('apply: force without apply', at, 'merge', {}), query: { force: 'true' } }),
]

const podAt = `${namespaced}/pods/owned`
const main = (more: Json): Json => ({ name: 'main', image: 'busybox:1', ...more })
const owned = (containers: readonly Json[], spec: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'owned' },
  spec: { automountServiceAccountToken: false, schedulerName: 'none', containers, ...spec },
})
const port = (containerPort: number, more: Json = {}): Json => ({ containerPort, ...more })

const pods: readonly Call[] = [
  as(
    'maker',
    post('apply: a pod by POST', `${namespaced}/pods`, pod('made', {}, { env: [{ name: 'A', value: '1' }] })),
  ),
  apply('a pod made before', `${namespaced}/pods/made`, 'one', {
    ...owned([main({ image: 'busybox:2' })]),
    metadata: { name: 'made' },
  }),
  apply(
    'create a pod',
    podAt,
    'one',
    owned([
      main({ ports: [port(80), port(81, { protocol: 'UDP' })], env: [{ name: 'A', value: '1' }] }),
      { name: 'next', image: 'busybox:1' },
    ]),
  ),
  apply('an image', podAt, 'two', owned([main({ image: 'busybox:2' })])),
  asking({ force: 'true' }, apply('an image by force', podAt, 'two', owned([main({ image: 'busybox:2' })]))),
  apply('a toleration', podAt, 'three', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'owned' },
    spec: { tolerations: [{ key: 'a', operator: 'Exists' }] },
  }),
  apply('a forbidden change', podAt, 'two', owned([main({ image: 'busybox:2', env: [{ name: 'B', value: '1' }] })])),
  apply('an unknown field of a container', podAt, 'two', owned([main({ imag: 'x' })])),
  apply('an item without its key', podAt, 'two', { ...owned([{ image: 'x' }]) }),
  apply('an item twice', podAt, 'two', owned([main({}), main({})])),
  as(
    'editor',
    patch('apply: a strategic patch', podAt, 'strategic', {
      spec: { containers: [{ name: 'next', image: 'busybox:3' }] },
    }),
  ),
  apply('a status', `${podAt}/status`, 'four', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'owned' },
    status: { conditions: [{ type: 'a.b/c', status: 'True' }] },
  }),
  as('patcher', patch('apply: a patched status', `${podAt}/status`, 'merge', { status: { message: 'x' } })),
  apply('a status of nothing', `${namespaced}/pods/none/status`, 'four', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'none' },
    status: {},
  }),
  del('apply: delete the pod', podAt),
  del('apply: delete the other pod', `${namespaced}/pods/made`),
]

const group = 'owned.dayfly.dev'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const things = `/apis/${group}/v1/namespaces/$NS/things`
const text = { type: 'string' }
const definition: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  max: { type: 'integer', default: 3 },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
                  plain: { type: 'array', items: text },
                  vars: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { type: 'object', required: ['name'], properties: { name: text, value: text } },
                  },
                  limits: { type: 'object', additionalProperties: text },
                  fixed: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
                  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
}
const thing = (spec: Json, more: Json = {}): Json => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name: 'owned' },
  spec,
  ...more,
})
const thingAt = `${things}/owned`

const custom: readonly Call[] = [
  post('apply: a definition', definitions, definition),
  { ...get('apply: established', `${definitions}/things.${group}`), until: 'InitialNamesAccepted' },
  {
    ...apply(
      'a custom object',
      thingAt,
      'one',
      thing({
        tags: ['a', 'b'],
        plain: ['x'],
        vars: [{ name: 'v', value: '1' }],
        limits: { l: '1' },
        fixed: { f: '1' },
        any: { deep: { x: [1], y: {} } },
      }),
    ),
    until: '"spec"',
  },
  apply(
    'other parts',
    thingAt,
    'two',
    thing({
      tags: ['c', 'b'],
      vars: [{ name: 'w' }, { name: 'v', value: '1' }],
      limits: { m: '1' },
      any: { deep: { z: 1 } },
    }),
  ),
  apply('atomic parts', thingAt, 'two', thing({ plain: ['y'], fixed: { g: '1' } })),
  apply('fewer parts', thingAt, 'one', thing({ max: 4 })),
  apply('a status and a spec', `${thingAt}/status`, 'three', thing({ max: 9 }, { status: { ready: true } })),
  apply('a spec and a status', thingAt, 'four', thing({ limits: { n: '1' } }, { status: { ready: false } })),
  as('editor', patch('apply: a patched custom object', thingAt, 'merge', { spec: { max: 5, any: null } })),
  apply('an unknown field of a custom object', thingAt, 'two', thing({ mox: 1 })),
  asking({ force: 'true' }, apply('a wrong type in a custom object', thingAt, 'two', thing({ max: 'x' }))),
  as(
    'maker',
    post('apply: a custom object by POST', things, {
      ...thing({ vars: [{ name: 'v' }] }),
      metadata: { name: 'made', labels: { a: 'b' } },
    }),
  ),
  del('apply: delete the definition', `${definitions}/things.${group}`),
]

export const applyCalls: readonly Call[] = [...simple, ...refused, ...pods, ...custom]
