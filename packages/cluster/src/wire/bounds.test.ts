// Each hostile request is answered quickly, and the server goes on. The answers about size were recorded from
// kube-apiserver 1.36.
import type { Method } from '@dayfly/kit/http'
import { describe, expect, test } from 'vitest'
import { fuzzWorld } from '../fuzz-world.fixture.ts'
import { readYaml, YamlError } from './yaml-body.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const things = '/apis/t.dev/v1/namespaces/ci/things'

async function world() {
  const { send, cluster } = await fuzzWorld(1)
  const ask = async (method: Method, path: string, object: unknown) => {
    const { status, text, cpuMs } = await send(method, path, object)
    return { status, cpuMs, body: JSON.parse(text) as { readonly message?: string; readonly spec?: unknown } }
  }
  return { ask, stop: () => cluster.stop() }
}

function definition(spec: object): object {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  return { metadata: { name: 'things.t.dev' }, spec: { group: 't.dev', scope: 'Namespaced', names, versions } }
}

/** Processor time. Each of these requests takes a fraction of a second, and minutes without its bound. */
const boundedMs = 15_000

const thing = (spec: unknown) => ({ apiVersion: 't.dev/v1', kind: 'Thing', metadata: { name: 'a' }, spec })

describe('a pattern', () => {
  test.each([
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['(?=a)b', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)b', 'invalid named capture: `(?<!a)b`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
  ])('and its definition, %s, are refused if Go refuses the pattern', async (pattern, why) => {
    const { ask, stop } = await world()
    const { status, body } = await ask('POST', definitions, definition({ type: 'string', pattern }))
    expect(status).toBe(422)
    expect(body.message).toContain(`must be a valid regular expression, but isn't: error parsing regexp: ${why}`)
    await stop()
  })

  test.each([
    ['of a schema', { type: 'string', pattern: '^(a+)+$' }],
    ['of a rule', { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('^(a+)+$')" }] }],
  ])('%s that would backtrack for hours is decided at once', async (_, schema) => {
    const { ask, stop } = await world()
    expect((await ask('POST', definitions, definition(schema))).status).toBe(201)
    const { status, cpuMs } = await ask('POST', things, thing(`${'a'.repeat(10_000)}!`))
    expect(status).toBe(422)
    expect(cpuMs).toBeLessThan(boundedMs)
    await stop()
  })
})

test.each([
  ["self.matches('(a)\\\\1')", 'compilation failed: ERROR: <input>:1:14: invalid matches argument'],
  ["self.find('(') == ''", 'program instantiation failed: error parsing regexp: missing closing ): `(`'],
])('a rule with a pattern that Go refuses, %s, is refused', async (rule, why) => {
  const { ask, stop } = await world()
  const schema = { type: 'string', 'x-kubernetes-validations': [{ rule }] }
  expect((await ask('POST', definitions, definition(schema))).body.message).toContain(why)
  await stop()
})

test('a pattern of an alternative that Go refuses is refused with its definition', async () => {
  const { ask, stop } = await world()
  const { status, body } = await ask('POST', definitions, definition({ type: 'string', anyOf: [{ pattern: '(' }] }))
  expect(status).toBe(422)
  expect(body.message).toContain('properties[spec].anyOf[0].pattern: Invalid value: "("')
  await stop()
})

test('60,000 containers are refused at once', async () => {
  const { ask, stop } = await world()
  const containers = Array.from({ length: 60_000 }, (_, index) => ({ name: `c${index}`, image: 'x' }))
  const { status, cpuMs } = await ask('POST', '/api/v1/namespaces/ci/pods', {
    metadata: { name: 'x' },
    spec: { containers },
  })
  expect(status).toBe(413)
  expect(cpuMs).toBeLessThan(boundedMs)
  await stop()
})

test('the kubelet may write the status of an accepted pod of 1,300 containers', async () => {
  const { send, clock, cluster } = await fuzzWorld(1)
  await send('DELETE', '/api/v1/namespaces/ci/resourcequotas/a')
  await send('DELETE', '/api/v1/namespaces/ci/limitranges/a')
  const containers = Array.from({ length: 1_300 }, (_, index) => ({ name: `c${index}`, image: 'x' }))
  const metadata = { name: 'x' }
  expect((await send('POST', '/api/v1/namespaces/ci/pods', { metadata, spec: { containers } })).status).toBe(201)
  await clock.advance(2_000)
  const { text } = await send('GET', '/api/v1/namespaces/ci/pods/x')
  expect(JSON.parse(text)).toMatchObject({ status: { containerStatuses: { length: 1_300 } } })
  await cluster.stop()
})

test('a patch that retains 20,000 keys looks each of them up once', async () => {
  const { registry } = (await fuzzWorld(1)).cluster
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}`)
  const data = { ...Object.fromEntries(keys.map((key) => [key, 'v'])), $retainKeys: keys }
  const started = process.cpuUsage()
  registry.patch('configmaps', { namespace: 'ci', name: 'a' }, { type: 'strategic', body: { data } })
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1_000).toBeLessThan(boundedMs)
})

test('an object beyond the limit of etcd is answered as by Kubernetes', async () => {
  const { ask, stop } = await world()
  await ask('POST', definitions, definition({ type: 'string' }))
  expect((await ask('POST', things, thing('x'.repeat(1_500_000)))).status).toBe(201)
  const other = { ...thing('x'.repeat(1_600_000)), metadata: { name: 'b' } }
  expect((await ask('POST', things, other)).body).toEqual({
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    ...{ message: 'etcdserver: request is too large', code: 500 },
  })
  await stop()
})

test('alternatives in alternatives do not double the work at each level', async () => {
  const { ask, stop } = await world()
  let inner: object = { maxLength: 1 }
  for (let level = 0; level < 100; level++) inner = { anyOf: [inner] }
  expect((await ask('POST', definitions, definition({ type: 'string', ...inner }))).status).toBe(201)
  const { status, cpuMs } = await ask('POST', things, thing('abc'))
  expect(status).toBe(422)
  expect(cpuMs).toBeLessThan(boundedMs)
  await stop()
})

test.each(['[', '- ', '? ', '--- - '])(
  'YAML that nests 20,000 levels deep by "%s" does not end the process',
  (part) => {
    expect(() => readYaml(part.repeat(20_000))).toThrow(YamlError)
  },
)

test('a long list in one line of YAML is no deep nesting', () => {
  expect(readYaml(`a: [${'1, '.repeat(3_000)}1]`)).toEqual({ a: Array.from({ length: 3_001 }, () => 1) })
})

test.each([
  ['application/merge-patch+json', { metadata: { name: { toString: [] } } }],
  ['application/strategic-merge-patch+json', { $patch: { toString: [] } }],
])('a %s with an object that cannot become text is refused', async (type, patch) => {
  const { cluster, send } = await fuzzWorld(1)
  const { status } = await send('PATCH', '/api/v1/namespaces/default', patch, type)
  expect([400, 422]).toContain(status)
  await cluster.stop()
})

test('10,000 operations on 39,000 fields do not take minutes', async () => {
  const { cluster, send } = await fuzzWorld(1)
  const data = Object.fromEntries(Array.from({ length: 39_000 }, (_, index) => [`k${index}`, 'v']))
  cluster.registry.create('configmaps', { metadata: { name: 'wide', namespace: 'ci' }, data })
  const operations = Array.from({ length: 10_000 }, (_, index) => ({ op: 'add', path: `/data/n${index}`, value: 'x' }))
  const target = '/api/v1/namespaces/ci/configmaps/wide'
  const { status, cpuMs } = await send('PATCH', target, operations, 'application/json-patch+json')
  expect(status).toBe(200)
  expect(cpuMs).toBeLessThan(boundedMs)
  await cluster.stop()
})
