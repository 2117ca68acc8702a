// Huge, well-formed requests for the fuzz of the API server: each one is a question whether work grows faster than input.
import { type Random, randomInteger } from '@dayfly/kit/random'
import { pick } from './fuzz-objects.fixture.ts'
import type { FuzzRequest } from './fuzz-requests.fixture.ts'

type Make = (size: number) => Pick<FuzzRequest, 'method' | 'path'> & {
  readonly body?: unknown
  readonly type?: string
  readonly query?: Readonly<Record<string, string>>
}

const core = '/api/v1/namespaces/ci'
const widgets = '/apis/fuzz.dev/v1/namespaces/ci/widgets'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const patchTypes = {
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function wide(count: number, value: unknown = 'v'): object {
  return Object.fromEntries(times(count, (index) => [`k${index}`, value]))
}

function pod(spec: object): object {
  return { metadata: { name: 'huge' }, spec: { containers: [{ name: 'main', image: 'x' }], ...spec } }
}

function definition(spec: object): object {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const names = { plural: 'huges', singular: 'huge', kind: 'Huge', listKind: 'HugeList' }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  return { metadata: { name: 'huges.fuzz.dev' }, spec: { group: 'fuzz.dev', scope: 'Namespaced', names, versions } }
}

function nested(count: number, around: (inner: object) => object, inner: object): object {
  return times(count, () => 0).reduce<object>((value) => around(value), inner)
}

const containers = (count: number) => times(count, (index) => ({ name: `c${index}`, image: 'x' }))
const post =
  (path: string, make: (size: number) => unknown): Make =>
  (size) => ({ method: 'POST', path, body: make(size) })
const patch =
  (path: string, type: keyof typeof patchTypes, make: (size: number) => unknown): Make =>
  (size) => ({
    method: 'PATCH',
    path,
    type: patchTypes[type],
    query: type === 'apply' ? { fieldManager: 'huge', force: 'true' } : {},
    body: make(size),
  })
const ask =
  (query: (size: number) => Readonly<Record<string, string>>): Make =>
  (size) => ({ method: 'GET', path: `${core}/pods`, query: query(size) })

const objects: readonly Make[] = [
  post(`${core}/pods`, (size) => pod({ containers: containers(size) })),
  post(`${core}/pods`, (size) => pod({ containers: times(size, () => ({})) })),
  post(`${core}/pods`, (size) => pod({ initContainers: containers(size) })),
  post(`${core}/pods`, (size) => pod({ volumes: times(size, (index) => ({ name: `v${index}`, emptyDir: {} })) })),
  post(`${core}/pods`, (size) =>
    pod({ tolerations: times(size, (index) => ({ key: `v${index}`, operator: 'Exists' })) }),
  ),
  post(`${core}/pods`, (size) => pod({ nodeSelector: wide(size) })),
  post(`${core}/configmaps`, (size) => ({ metadata: { name: 'huge' }, data: wide(size) })),
  post(`${core}/configmaps`, (size) => ({ metadata: { name: 'huge', labels: wide(size, '-') } })),
  post(`${core}/configmaps`, (size) => ({
    metadata: { name: 'huge', finalizers: times(size, (index) => `a.b/${index}`) },
  })),
  post(`${core}/configmaps`, (size) => ({ metadata: { generateName: `${'-'.repeat(size * 20)}a` } })),
  post(`${core}/configmaps`, (size) => ({ metadata: { name: 'huge' }, ...wide(size) })),
  post(`${core}/configmaps`, (size) => {
    const ownerReferences = times(size, (index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `a${index}`,
      uid: `u${index}`,
      controller: true,
    }))
    return { metadata: { name: 'huge', ownerReferences } }
  }),
  post(`${core}/configmaps`, (size) => {
    const fields = (index: number) => ({
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      manager: `m${index}`,
      fieldsV1: { 'f:data': { [`f:a${index}`]: {} } },
    })
    return { metadata: { name: 'huge', managedFields: times(size, fields) } }
  }),
  post(widgets, (size) => ({
    apiVersion: 'fuzz.dev/v1',
    kind: 'Widget',
    metadata: { name: 'huge' },
    spec: { tag: 'a'.repeat(size * 20) },
  })),
  post(widgets, (size) => ({
    apiVersion: 'fuzz.dev/v1',
    kind: 'Widget',
    metadata: { name: 'huge' },
    spec: { list: times(size, String) },
  })),
]

const patches: readonly Make[] = [
  patch(`${core}/pods/a`, 'strategic', (size) => ({ spec: { containers: containers(size) } })),
  patch(`${core}/pods/a`, 'strategic', (size) => ({
    spec: { containers: times(size, () => ({ name: 'main', image: 'x' })) },
  })),
  patch(`${core}/configmaps/a`, 'strategic', (size) => ({
    data: { ...wide(size), $retainKeys: times(size, (index) => `k${index}`) },
  })),
  patch(`${core}/configmaps/a`, 'strategic', (size) => ({
    metadata: { finalizers: times(size, (index) => `a.b/${index}`) },
  })),
  patch(`${core}/configmaps/huge`, 'apply', (size) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'huge' },
    data: wide(size, 'z'),
  })),
  patch(`${core}/pods/huge`, 'apply', (size) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    ...pod({ containers: containers(size) }),
  })),
  patch(`${core}/pods/a`, 'json', (size) => [
    { op: 'add', path: '/spec/x', value: times(size, Number) },
    ...times(Math.min(size, 9_000), () => ({ op: 'add', path: '/spec/x/0', value: 1 })),
  ]),
  patch(`${core}/pods/a`, 'json', (size) =>
    times(size, (index) => ({ op: 'copy', from: '/spec', path: `/spec/q${index}` })),
  ),
  patch(`${core}/configmaps/a`, 'json', (size) => times(size, () => ({ op: 'test', path: '', value: null }))),
]

const schemas: readonly Make[] = [
  post(definitions, (size) =>
    definition({ type: 'object', properties: wide(size, { type: 'string', pattern: '^[a-z]+$' }) }),
  ),
  post(definitions, (size) => definition({ type: 'string', pattern: '(a?){1000}'.repeat(size) })),
  post(definitions, (size) => definition({ type: 'string', pattern: '('.repeat(size) })),
  post(definitions, (size) =>
    definition({ type: 'object', 'x-kubernetes-validations': times(size, () => ({ rule: 'self.a >= 0' })) }),
  ),
  post(definitions, (size) =>
    definition({ type: 'object', 'x-kubernetes-validations': [{ rule: `${'self.a > 1 || '.repeat(size)}true` }] }),
  ),
  post(definitions, (size) =>
    definition(nested(Math.min(size, 200), (inner) => ({ type: 'string', anyOf: [inner] }), { maxLength: 1 })),
  ),
  post(definitions, (size) => definition({ type: 'array', items: { type: 'string', enum: times(size, String) } })),
]

const queries: readonly Make[] = [
  ask((size) => ({ labelSelector: `app in (${times(size, (index) => `a${index}`).join(',')})` })),
  ask((size) => ({ labelSelector: times(size, () => 'app').join(',') })),
  ask((size) => ({ fieldSelector: times(size, () => 'metadata.name=a').join(',') })),
  ask((size) => ({ fieldSelector: `metadata.name=${'\\'.repeat(size)}` })),
  ask((size) => ({ continue: Buffer.from('['.repeat(size)).toString('base64url'), limit: '1' })),
  ask((size) => ({ resourceVersion: '9'.repeat(size), watch: 'true' })),
]

const yaml = 'application/yaml'
const texts: readonly Make[] = [
  ...['[', '- ', '? ', '&a ', '"', '{a: ', '}\n', 'a:\n', '#\n', '!<', '*a,'].map(
    (part): Make =>
      (size) => ({ method: 'POST', path: `${core}/configmaps`, type: yaml, body: part.repeat(size) }),
  ),
  (size) => ({
    method: 'POST',
    path: `${core}/configmaps`,
    type: yaml,
    body: times(Math.min(size, 1_500), (index) => `${' '.repeat(index)}a:`).join('\n'),
  }),
  (size) => ({ method: 'POST', path: `${core}/configmaps`, body: '['.repeat(size * 20) }),
]

/** Returns a request of up to 3 MiB. */
export function hugeRequest(random: Random): FuzzRequest {
  const size = pick(random, [1, 7, 60, 500, 4_000, 9_000, 12_000, 40_000, 100_000])
  const make = pick(random, [...objects, ...patches, ...schemas, ...queries, ...texts])
  const { method, path, body, type = 'application/json', query = {} } = make(randomInteger(random, 1, size))
  const bytes = Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body))
  const kept = bytes.length > 3 * 1024 * 1024 ? bytes.subarray(0, 3 * 1024 * 1024) : bytes
  return { method, path, query, headers: { 'content-type': type }, bytes: kept }
}
