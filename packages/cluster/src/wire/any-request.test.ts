// Every request gets an answer: no request causes an internal error.
import { type Body, type Method, parseBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRegistry } from '../api/create-registry.ts'
import { silentNode } from '../api/silent-node.fixture.ts'
import { createStore } from '../store/store.ts'
import { createApiHandler } from './api-server.ts'
import { knownIdentity } from './authentication.ts'
import { createRequestLog } from './request-log.ts'

const pod = { metadata: { name: 'a', namespace: 'ci' }, spec: { containers: [{ name: 'main', image: 'x' }] } }

function world() {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  const node = silentNode
  const authenticate = knownIdentity('tester')
  const requestLog = createRequestLog()
  const handler = createApiHandler({ registry, node, clock, random, profile: '1.36', requestLog, authenticate })
  return { registry, handler }
}

const words = ['api', 'apis', 'v1', 'namespaces', 'ci', 'pods', 'a', 'status', 'log', 'secrets', 'openapi', '__proto__']
const word = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ maxLength: 6 }).map(encodeURIComponent),
  fc.constant('%zz'),
)
const pods = '/api/v1/namespaces/ci/pods'
const known = [
  pods,
  `${pods}/a`,
  `${pods}/a/status`,
  `${pods}/a/binding`,
  `${pods}/a/log`,
  '/api/v1/namespaces/ci/secrets',
]
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const path = fc.oneof(
  fc.constantFrom(...known, '/apis/coordination.k8s.io/v1/namespaces/ci/leases/l', crds),
  fc.array(word, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
)
const options = ['watch', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'sendInitialEvents']
const more = ['labelSelector', 'fieldSelector', 'dryRun', 'fieldValidation', 'includeObject', 'container', 'tailLines']
const deletion = ['gracePeriodSeconds', 'propagationPolicy', 'orphanDependents', 'sinceTime', 'timeoutSeconds']
const values = [
  'All',
  'true',
  '1',
  '-1',
  'Exact',
  'NotOlderThan',
  'Strict',
  'metadata.name=a',
  'a in (b)',
  'eyJ2IjoxfQ',
]
const query = fc.dictionary(
  fc.constantFrom(...options, ...more, ...deletion, '__proto__'),
  fc.oneof(fc.constantFrom(...values), fc.string({ maxLength: 8 })),
)
const fields = ['metadata', 'spec', 'status', 'name', 'labels', 'containers', 'apiVersion', 'kind', 'target', 'dryRun']
const oddFields = ['finalizers', 'ownerReferences', '__proto__', '$patch', 'op', 'path', 'value', 'data', 'versions']
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1.5, '', 'a', 'ci', 'v1', 'Pod', 'replace', '/spec'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...fields, ...oddFields), tie('json'), { maxKeys: 5 }),
  ),
}))
const types = ['', ';', 'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const patches = ['merge-patch', 'strategic-merge-patch', 'json-patch'].map((name) => `application/${name}+json`)
const content = fc
  .tuple(
    fc.constantFrom(...types, ...patches),
    fc.oneof(
      json.map((value) => Buffer.from(JSON.stringify(value))),
      fc.uint8Array().map((bytes) => Buffer.concat([Buffer.from('k8s\0'), bytes])),
      fc.string().map(Buffer.from),
    ),
  )
  .map(([type, bytes]): { type: string; body: Body } => ({ type, body: parseBody(bytes, type) }))
const accept = fc.constantFrom('', '*/*', ',;q=x', 'application/json;as=Table;v=v1;g=meta.k8s.io')
const method = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD')

test('every request gets an answer, and every refusal has a Status', async () => {
  const { registry, handler } = world()
  const property = fc.asyncProperty(
    method,
    path,
    query,
    content,
    accept,
    async (verb, target, asked, { type, body }, wanted) => {
      if (!registry.get('pods', 'ci', 'a')) registry.create('pods', pod)
      const client = new AbortController()
      const headers = { 'content-type': type, accept: wanted }
      const request = { method: verb, path: target, query: asked, headers, body, signal: client.signal } as const
      const answer = await handler({ ...request, expect: 'whole' })
      client.abort()
      if (answer.status >= 400 && answer.body.kind === 'json') {
        expect(answer.body.value).toMatchObject({ kind: 'Status', code: answer.status })
      }
    },
  )
  await fc.assert(property, { numRuns: 4_000 })
}, 30_000)

test.each([
  ['merge', { metadata: { name: { toString: [] } } }],
  ['strategic-merge', { $patch: { toString: [] } }],
])('a %s patch with an object that cannot become text is refused', async (type, value) => {
  const { registry, handler } = world()
  registry.create('pods', pod)
  const headers = { 'content-type': `application/${type}-patch+json` }
  const target = { method: 'PATCH', path: `${pods}/a`, query: {}, headers } as const
  const answer = await handler({ ...target, body: { kind: 'json', value }, expect: 'whole' })
  expect([400, 422]).toContain(answer.status)
})

test('10,000 operations on 39,000 fields do not take minutes', async () => {
  const { registry, handler } = world()
  const data = Object.fromEntries(Array.from({ length: 39_000 }, (_, index) => [`k${index}`, 'v']))
  registry.create('configmaps', { metadata: { name: 'wide', namespace: 'ci' }, data })
  const operations = Array.from({ length: 10_000 }, (_, index) => ({ op: 'add', path: `/data/n${index}`, value: 'x' }))
  const headers = { 'content-type': 'application/json-patch+json' }
  const target = { method: 'PATCH', path: '/api/v1/namespaces/ci/configmaps/wide', query: {}, headers } as const
  const started = process.cpuUsage()
  const answer = await handler({ ...target, body: { kind: 'json', value: operations }, expect: 'whole' })
  const { user, system } = process.cpuUsage(started)
  expect(answer.status).toBe(200)
  expect((user + system) / 1000).toBeLessThan(5_000)
})
