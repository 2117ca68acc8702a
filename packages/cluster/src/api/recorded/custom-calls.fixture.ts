// Valid and invalid CustomResourceDefinitions, and the objects of their kind.
import { type Call, del, dry, get, patch, post, put } from './call.fixture.ts'

type Json = Readonly<Record<string, unknown>>

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'recorded.dayfly.dev'
const widgets = `/apis/${group}/v1/namespaces/$NS/widgets`
const linux = `${widgets}/linux`

const text = { type: 'string' }
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
            max: { type: 'integer', minimum: 1, maximum: 100 },
            ratio: { type: 'number', exclusiveMinimum: true, minimum: 0 },
          },
        },
        docker: { ...text, enum: ['none', 'sidecar'], default: 'none' },
        keep: { ...text, pattern: '^[0-9]+s$', nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        labels: {
          type: 'array',
          minItems: 1,
          maxItems: 2,
          'x-kubernetes-list-type': 'set',
          items: { ...text, minLength: 1, maxLength: 3 },
        },
        envs: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: text, value: { ...text, default: 'v' } } },
        },
        vars: { type: 'object', maxProperties: 1, additionalProperties: text },
        when: { ...text, format: 'date-time' },
        flag: { type: 'boolean' },
        template: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        one: { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
        any: { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      },
    },
    status: {
      type: 'object',
      properties: {
        ready: { type: 'boolean' },
        conditions: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    },
  },
}

function definition(spec: Json = {}, openAPIV3Schema: Json = schema, version: Json = {}): Json {
  const columns = [{ name: 'Max', type: 'integer', jsonPath: '.spec.scale.max' }]
  const v1 = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'] },
      versions: [{ ...v1, additionalPrinterColumns: columns, ...version }],
      ...spec,
    },
  }
}

const refused = (title: string, body: Json): Call => dry(`definition: ${title}`, definitions, body)
const withField = (title: string, a: Json): Call =>
  refused(title, definition({}, { type: 'object', properties: { a } }))

const bad: readonly Call[] = [
  refused('preserving all', definition({ preserveUnknownFields: true }, { type: 'object' })),
  refused('another group', definition({ group: 'other.dev' })),
  refused('no group', definition({ group: '' })),
  refused('a flat group', { ...definition({ group: 'dayfly' }), metadata: { name: 'widgets.dayfly' } }),
  refused('a bad scope', definition({ scope: 'Galaxy' })),
  refused('no scope', definition({ scope: undefined })),
  refused('no names', definition({ names: {} })),
  refused('bad names', definition({ names: { plural: 'widgets', kind: 'Wid_get' } })),
  refused('no schema', definition({ versions: [{ name: 'v1', served: true, storage: true }] })),
  refused(
    'a bad column',
    definition({}, schema, { additionalPrinterColumns: [{ name: '', type: 'thing', jsonPath: '' }] }),
  ),
  refused('no root type', definition({}, { properties: {} })),
  withField('a field without type', {}),
  withField('a list without items', { type: 'array' }),
  withField('a bad type', { type: 'thing' }),
  withField('unique items', { type: 'array', uniqueItems: true, items: text }),
  withField('a reference', { $ref: '#/x' }),
]

const object = (spec: unknown, more: Json = {}): Json => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name: 'linux' },
  spec,
  ...more,
})
const widget = (title: string, spec: unknown, more: Json = {}): Call =>
  dry(`object: ${title}`, widgets, object(spec, more))
const faulty = [
  {},
  { scale: { max: 'x' } },
  { scale: { max: 0 } },
  { scale: { max: 101 } },
  { scale: { ratio: 0 } },
  { scale: null },
  { scale: {}, docker: 'x' },
  { scale: {}, keep: '1m' },
  { scale: {}, keep: null, docker: null, flag: null },
  { scale: {}, port: 'http' },
  { scale: {}, port: true },
  { scale: {}, labels: ['a', 'b', 'c'] },
  { scale: {}, labels: ['a', 'a'] },
  { scale: {}, labels: [''] },
  { scale: {}, labels: ['abcd'] },
  { scale: {}, labels: [] },
  { scale: {}, labels: 'x' },
  { scale: {}, envs: [{ name: 'a' }, { name: 'b', value: 'x' }] },
  { scale: {}, envs: [{ name: 'a' }, { name: 'a' }] },
  { scale: {}, envs: [{}] },
  { scale: {}, vars: { A: 1 } },
  { scale: {}, vars: { A: '1', B: '2' } },
  { scale: {}, when: 'yesterday' },
  { scale: {}, flag: 'yes' },
  { scale: {}, one: {} },
  { scale: {}, one: { a: 'x', b: 'y' } },
  { scale: {}, any: {} },
]

const objects: readonly Call[] = [
  post('definition: create', definitions, definition()),
  { ...get('definition: established', `${definitions}/widgets.${group}`), until: 'InitialNamesAccepted' },
  widget('fine', { scale: { max: 3 } }),
  widget('unknown fields', { scale: { max: 3, mox: 1 }, template: { spec: { any: 1 } }, extra: 1 }, { other: 1 }),
  ...['Strict', 'Ignore'].map((fieldValidation) =>
    dry(`object: unknown field, ${fieldValidation}`, widgets, object({ scale: {}, extra: 1 }), { fieldValidation }),
  ),
  ...faulty.map((spec) => widget(JSON.stringify(spec), spec)),
  widget('a list as spec', []),
  widget('no spec', undefined),
  widget('a label as number', { scale: {} }, { metadata: { name: 'linux', labels: { a: 1 } } }),
  widget('a bad label', { scale: {} }, { metadata: { name: 'linux', labels: { 'a b': 'x y' } } }),
  widget('a bad name', { scale: {} }, { metadata: { name: 'Bad_' } }),
  widget('another kind', { scale: {} }, { kind: 'Other' }),
]

const life: readonly Call[] = [
  post('object: create', widgets, object({ scale: { max: 3 } }, { status: { ready: true } })),
  patch('object: spec and status', linux, 'merge', { spec: { scale: { max: 4 } }, status: { ready: true } }),
  patch('object: status and spec', `${linux}/status`, 'merge', {
    spec: { scale: { max: 5 } },
    status: { ready: true },
    metadata: { labels: { a: 'b' } },
  }),
  patch('object: a bad status', `${linux}/status`, 'merge', { status: { ready: 'yes' } }),
  patch('object: a bad spec', linux, 'merge', { spec: { scale: { max: 'x' } } }),
  patch('object: metadata only', linux, 'merge', { metadata: { annotations: { a: 'b' } } }),
  patch('object: unknown field patched in', linux, 'merge', { spec: { nope: 1 } }),
  patch('object: json', linux, 'json', [{ op: 'replace', path: '/spec/docker', value: 'sidecar' }]),
  put('object: put', linux, [
    { op: 'replace', path: '/spec', value: { scale: { max: 9 } } },
    { op: 'replace', path: '/status', value: {} },
  ]),
  put('object: put without version', linux, [{ op: 'remove', path: '/metadata/resourceVersion' }]),
  put('object: put an old version', linux, [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]),
  put('object: put a status', `${linux}/status`, [
    { op: 'replace', path: '/status', value: { ready: false, conditions: [{ type: 'Ready', any: 1 }] } },
    { op: 'replace', path: '/spec', value: {} },
  ]),
  get('list: objects by a field', widgets, { fieldSelector: 'spec.docker=none' }),
  get('list: objects by name', widgets, { fieldSelector: 'metadata.name=linux' }),
  del('object: delete another uid', linux, { preconditions: { uid: 'x' } }),
  patch('object: hold', linux, 'merge', { metadata: { finalizers: ['a/b'] } }),
  del('object: delete', linux),
  patch('object: let go', linux, 'merge', { metadata: { finalizers: null } }),
  get('object: gone', linux),
  del('definition: delete', `${definitions}/widgets.${group}`),
]

export const customCalls: readonly Call[] = [...bad, ...objects, ...life]
