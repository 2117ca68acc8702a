// The API server's answers, on plain values.
import { type Answer, jsonBody, type Method, noBody, type Request } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, test } from 'vitest'
import { createRegistry } from '../api/create-registry.ts'
import { badRequest } from '../api/errors.ts'
import type { NodeApi } from '../api/node.ts'
import { silentNode } from '../api/silent-node.fixture.ts'
import { createStore } from '../store/store.ts'
import { createApiHandler } from './api-server.ts'
import { bearerAuthentication, knownIdentity } from './authentication.ts'
import { createRequestLog } from './request-log.ts'

function world(node: NodeApi = silentNode) {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  const requestLog = createRequestLog()
  const backend = { registry, node, clock, random, profile: '1.36', requestLog } as const
  const handler = createApiHandler({ ...backend, authenticate: knownIdentity('tester') })
  const send = (method: Method, target: string, more: Partial<Request> = {}): Promise<Answer> => {
    const { pathname, searchParams } = new URL(target, 'http://x')
    const query = Object.fromEntries(searchParams)
    return handler({ method, path: pathname, query, headers: {}, body: noBody, expect: 'whole', ...more })
  }
  const call = async (method: Method, target: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await send(method, target, { headers, ...(body ? { body: jsonBody(body) } : {}) })
    const value = answer.body.kind === 'json' ? (answer.body.value as Json) : undefined
    return { status: answer.status, headers: answer.headers, value: value as Json }
  }
  return { clock, registry, requestLog, backend, send, call }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers without types.
type Json = any

const pods = '/api/v1/namespaces/ci/pods'
const pod = (name: string, labels: object = {}) => ({
  metadata: { name, labels },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
})
const config = (name: string, data: object = {}) => ({ metadata: { name }, data })
const configs = '/api/v1/namespaces/ci/configmaps'

test('each answer has the time of the server, in seconds', async () => {
  const { clock, call } = world()
  const date = async () => (await call('GET', '/version')).headers['date']
  expect(await date()).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
  await clock.advance(999)
  expect(await date()).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
  await clock.advance(1)
  expect(await date()).toBe('Thu, 01 Jan 2026 00:00:01 GMT')
})

describe('one object', () => {
  test('is created, read, replaced, patched and deleted', async () => {
    const { call } = world()
    expect(await call('POST', configs, config('a', { x: '1' }))).toMatchObject({
      status: 201,
      value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ci' }, data: { x: '1' } },
    })
    expect((await call('GET', `${configs}/a`)).value.data).toEqual({ x: '1' })
    const replaced = await call('PUT', `${configs}/a`, config('a', { y: '2' }))
    expect(replaced).toMatchObject({ status: 200, value: { data: { y: '2' } } })
    const merge = { 'content-type': 'application/merge-patch+json' }
    expect((await call('PATCH', `${configs}/a`, { data: { y: null, z: '3' } }, merge)).value.data).toEqual({ z: '3' })
    const deleted = await call('DELETE', `${configs}/a`)
    expect(deleted).toMatchObject({ status: 200, value: { kind: 'Status', status: 'Success', details: { name: 'a' } } })
    expect((await call('GET', `${configs}/a`)).status).toBe(404)
  })

  test('is in the answer to the DELETE of a pod', async () => {
    const { call } = world()
    await call('POST', pods, pod('a'))
    expect(await call('DELETE', `${pods}/a`)).toMatchObject({ status: 200, value: { kind: 'Pod' } })
  })

  test('may be sent as YAML', async () => {
    const { send } = world()
    const headers = { 'content-type': 'application/yaml' }
    const answer = await send('POST', configs, { headers, body: { kind: 'text', text: 'metadata: {name: a}\n' } })
    expect(answer.status).toBe(201)
    for (const text of ['a: [', 'a: 1\n---\nb: 2', 'just text']) {
      expect((await send('POST', configs, { headers, body: { kind: 'text', text } })).status).toBe(400)
    }
  })

  test('is not changed by the dry run of any verb', async () => {
    const { call, registry } = world()
    await call('POST', configs, config('a'))
    const before = registry.revision()
    const merge = { 'content-type': 'application/merge-patch+json' }
    const written = [
      await call('POST', `${configs}?dryRun=All`, config('b')),
      await call('PUT', `${configs}/a?dryRun=All`, config('a', { x: '1' })),
      await call('PATCH', `${configs}/a?dryRun=All`, { data: { x: '1' } }, merge),
      await call('DELETE', `${configs}/a?dryRun=All`),
      await call('DELETE', `${configs}/a`, { dryRun: ['All'] }),
    ]
    expect(written.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200])
    expect(registry.revision()).toBe(before)
    expect((await call('POST', `${configs}?dryRun=Some`, config('b'))).status).toBe(422)
  })

  test('is refused, stored with a warning, or stored silently if it has unknown fields', async () => {
    const { call } = world()
    const wrong = { ...pod('a'), spec: { ...pod('a').spec, containerz: [] } }
    const strict = await call('POST', `${pods}?fieldValidation=Strict`, wrong)
    expect([strict.status, strict.value.message]).toEqual([
      400,
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containerz"',
    ])
    const warned = await call('POST', `${pods}?dryRun=All`, wrong)
    expect([warned.status, warned.headers['warning']]).toEqual([201, '299 - "unknown field \\"spec.containerz\\""'])
    const ignored = await call('POST', `${pods}?dryRun=All&fieldValidation=Ignore`, wrong)
    expect(ignored.headers).not.toHaveProperty('warning')
  })

  test('warns about a workload that nothing runs, and names the kind to use instead', async () => {
    const { call } = world()
    const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' }, spec: { schedule: '@daily' } }
    const { status, headers } = await call('POST', '/apis/batch/v1/namespaces/ci/cronjobs', cronJob)
    const warning = 'the embedded cluster stores a CronJob and starts no pods for it: use a Job instead'
    expect([status, headers['warning']]).toEqual([201, `299 - "${warning}"`])
  })
})

describe('DELETE', () => {
  test('ignores the query if there is a body: ?dryRun=All really deletes', async () => {
    const { call, registry } = world()
    await call('POST', configs, config('a'))
    expect((await call('DELETE', `${configs}/a?dryRun=All`, {})).status).toBe(200)
    expect(registry.get('configmaps', 'ci', 'a')).toBeUndefined()
  })

  test('reads grace period, policy and preconditions from the body, or from the query without a body', async () => {
    const { call, registry } = world()
    await call('POST', pods, pod('a'))
    registry.bind('ci', 'a', 'here')
    const first = await call('DELETE', `${pods}/a?gracePeriodSeconds=7`)
    expect(first.value.metadata.deletionGracePeriodSeconds).toBe(7)
    const second = await call('DELETE', `${pods}/a`, { gracePeriodSeconds: 3 })
    expect(second.value.metadata.deletionGracePeriodSeconds).toBe(3)
    const conflict = await call('DELETE', `${pods}/a`, { preconditions: { uid: '' } })
    expect([conflict.status, conflict.value.reason]).toEqual([409, 'Conflict'])
  })

  test('refuses unknown options', async () => {
    const { call } = world()
    await call('POST', configs, config('a'))
    const refused = async (options: object) => (await call('DELETE', `${configs}/a`, options)).status
    expect(await refused({ propagationPolicy: 'Sideways' })).toBe(422)
    expect(await refused({ propagationPolicy: 'Orphan', orphanDependents: true })).toBe(422)
    expect(await refused({ dryRun: ['Some'] })).toBe(422)
    expect(await refused({ gracePeriodSeconds: 'x' })).toBe(400)
    expect(await refused({ orphanDependents: 'x' })).toBe(400)
    expect(await refused({ kind: 'ConfigMap', apiVersion: 'v1' })).toBe(400)
  })

  test('removes the selected objects of a collection', async () => {
    const { call, registry } = world()
    for (const name of ['a', 'b', 'c']) await call('POST', pods, pod(name, { group: name === 'c' ? 'keep' : 'go' }))
    const answer = await call('DELETE', `${pods}?labelSelector=group%3Dgo`)
    expect(answer.value.items.map((item: Json) => item.metadata.name)).toEqual(['a', 'b'])
    expect(registry.list('pods').map(({ metadata }) => metadata.name)).toEqual(['c'])
    expect((await call('DELETE', '/api/v1/namespaces')).status).toBe(405)
  })
})

describe('a list', () => {
  test('has pages of one state, despite writes between them', async () => {
    const { call } = world()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await call('POST', configs, config(name))
    const first = await call('GET', `${configs}?limit=2`)
    expect(first.value.metadata).toMatchObject({ remainingItemCount: 3 })
    await call('DELETE', `${configs}/d`)
    await call('POST', configs, config('bb'))
    const names: string[] = first.value.items.map((item: Json) => item.metadata.name)
    for (let token = first.value.metadata.continue; token; ) {
      const next = await call('GET', `${configs}?limit=2&continue=${token}`)
      expect(next.value.metadata.resourceVersion).toBe(first.value.metadata.resourceVersion)
      names.push(...next.value.items.map((item: Json) => item.metadata.name))
      token = next.value.metadata.continue
    }
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('follows the rules of resourceVersion', async () => {
    const { call, registry } = world()
    await call('POST', configs, config('a'))
    const old = registry.revision()
    await call('POST', configs, config('b'))
    const list = (query: string) => call('GET', `${configs}?${query}`)
    const names = async (query: string) => (await list(query)).value.items?.map((item: Json) => item.metadata.name)
    expect(await names('')).toEqual(['a', 'b'])
    expect(await names('resourceVersion=0')).toEqual(['a', 'b'])
    expect(await names(`resourceVersion=${old}&resourceVersionMatch=NotOlderThan`)).toEqual(['a', 'b'])
    expect(await names(`resourceVersion=${old}&resourceVersionMatch=Exact`)).toEqual(['a'])
    const statuses = [
      'resourceVersionMatch=Exact',
      'resourceVersion=0&resourceVersionMatch=Exact',
      'resourceVersion=1&resourceVersionMatch=Sometimes',
      'sendInitialEvents=true',
      'resourceVersion=x',
      'limit=x',
      'continue=%25',
      'resourceVersion=1&continue=abc',
      `resourceVersion=${registry.revision() + 10}`,
    ].map(async (query) => (await list(query)).status)
    expect(await Promise.all(statuses)).toEqual([422, 422, 422, 422, 400, 400, 400, 400, 504])
  })

  test('is a table if the client requests one', async () => {
    const { call } = world()
    await call('POST', pods, pod('a'))
    const accept =
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'
    const { value } = await call('GET', `${pods}?includeObject=Object`, undefined, { accept })
    expect(value).toMatchObject({ kind: 'Table', metadata: { resourceVersion: '2' } })
    expect(value.rows[0]).toMatchObject({ cells: ['a', '0/1', 'Pending', '0', '0s', ...Array(4).fill('<none>')] })
    expect(value.rows[0].object.kind).toBe('Pod')
    expect((await call('GET', `${pods}/a`, undefined, { accept })).value.kind).toBe('Table')
    expect((await call('GET', `${pods}?includeObject=All`, undefined, { accept })).status).toBe(400)
  })
})

describe('the server refuses', () => {
  test.each([
    ['GET', '/api/v1/nothings', 404, 'NotFound'],
    ['GET', '/api/v2/pods', 404, 'NotFound'],
    ['GET', '/api/v1/pods/a', 404, 'NotFound'],
    ['GET', '/api/v1/namespaces/ci/nodes', 404, 'NotFound'],
    ['GET', '/api/v1/namespaces/ci/pods/a/exec', 404, 'NotFound'],
    ['GET', '/api/v1/namespaces/%zz/pods', 400, 'BadRequest'],
    ['POST', '/api/v1/pods', 405, 'MethodNotAllowed'],
    ['POST', `${pods}/a`, 405, 'MethodNotAllowed'],
    ['PUT', pods, 405, 'MethodNotAllowed'],
    ['GET', `${pods}/a/binding`, 405, 'MethodNotAllowed'],
    ['DELETE', `${pods}/a/status`, 405, 'MethodNotAllowed'],
    ['POST', '/version', 405, 'MethodNotAllowed'],
  ] as const)('%s %s: %d', async (method, target, status, reason) => {
    const { call } = world()
    expect(await call(method, target)).toMatchObject({ status, value: { kind: 'Status', code: status, reason } })
  })

  test('unknown paths, in plain text', async () => {
    const { send } = world()
    for (const path of ['/metrics', '/openapi/v4', '/apis/example.dev', '/apis/example.dev/v1/widgets']) {
      expect(await send('GET', path)).toMatchObject({
        status: 404,
        body: { kind: 'text', text: '404 page not found\n' },
      })
    }
  })

  test('unsupported media types', async () => {
    const { call, send } = world()
    const status = async (method: Method, target: string, headers: Record<string, string>) =>
      (await call(method, target, {}, headers)).status
    expect(await status('GET', pods, { accept: 'application/vnd.kubernetes.protobuf' })).toBe(406)
    expect(await status('GET', pods, { accept: 'application/vnd.kubernetes.protobuf,application/json' })).toBe(200)
    expect(await status('POST', pods, { 'content-type': 'application/xml' })).toBe(415)
    expect(await status('PATCH', `${pods}/a`, { 'content-type': 'application/json' })).toBe(415)
    expect((await send('POST', pods, { body: { kind: 'text', text: '{' } })).status).toBe(400)
    expect((await send('POST', pods)).status).toBe(400)
  })

  test('an object that does not match the path', async () => {
    const { call } = world()
    const message = async (method: Method, target: string, body: object) => {
      const { status, value } = await call(method, target, body)
      expect(status).toBe(400)
      return value.message
    }
    expect(await message('POST', pods, { ...pod('a'), kind: 'Secret' })).toContain('cannot be handled as a Pod')
    const unknown = 'no kind "Pod" is registered for version "v2"'
    expect(await message('POST', pods, { ...pod('a'), apiVersion: 'v2' })).toContain(unknown)
    expect(await message('POST', pods, { metadata: { name: 'a', namespace: 'other' } })).toContain('namespace')
    expect(await message('PUT', `${configs}/a`, config('b'))).toContain('does not match the name on the URL (a)')
  })

  test('unknown callers', async () => {
    const { backend } = world()
    const handler = createApiHandler({ ...backend, authenticate: bearerAuthentication(new Map([['secret', 'me']])) })
    const status = async (headers: Record<string, string>) =>
      (await handler({ method: 'GET', path: '/api', query: {}, headers, body: noBody, expect: 'whole' })).status
    expect(await status({})).toBe(401)
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401)
    expect(await status({ authorization: 'Basic secret' })).toBe(401)
    expect(await status({ authorization: 'bearer secret' })).toBe(200)
  })
})

describe('a log', () => {
  test('is streamed from the only container, with the requested options', async () => {
    const asked: unknown[] = []
    const node: NodeApi = {
      ...silentNode,
      async *logs(name, options) {
        asked.push([name, options])
        yield 'one\n'
        yield 'two\n'
      },
    }
    const { send, call, registry } = world(node)
    await call('POST', pods, pod('a'))
    expect((await send('GET', `${pods}/a/log`)).status).toBe(204)
    registry.bind('ci', 'a', 'here')
    const { status, headers, body } = await send('GET', `${pods}/a/log?tailLines=5&timestamps=true`)
    expect([status, headers['content-type']]).toEqual([200, 'text/plain'])
    const text: unknown[] = []
    if (body.kind === 'bytes') for await (const chunk of body.chunks) text.push(chunk)
    expect(text).toEqual(['one\n', 'two\n'])
    expect(asked).toMatchObject([
      [
        { namespace: 'ci', pod: 'a', container: 'main' },
        { follow: false, tailLines: 5, timestamps: true },
      ],
    ])
  })

  test('is refused before it starts, and starts without output if the container is silent', async () => {
    const node: NodeApi = {
      ...silentNode,
      async *logs(_, { follow }) {
        if (!follow) throw badRequest('the container waits to start')
        await new Promise(() => {})
      },
    }
    const { send, call, registry, clock } = world(node)
    await call('POST', pods, pod('a'))
    registry.bind('ci', 'a', 'here')
    expect((await send('GET', `${pods}/a/log`)).status).toBe(400)
    const silent = send('GET', `${pods}/a/log?follow=true`)
    await clock.advance(100)
    expect((await silent).status).toBe(200)
    expect((await send('GET', `${pods}/a/log?container=other`)).status).toBe(400)
    expect((await send('GET', `${pods}/a/log?tailLines=-1`)).status).toBe(422)
  })
})

test('binding sets the node', async () => {
  const { call, registry } = world()
  await call('POST', pods, pod('a'))
  expect((await call('POST', `${pods}/a/binding`, { target: { kind: 'Node', name: 'here' } })).status).toBe(201)
  expect(registry.get('pods', 'ci', 'a')).toMatchObject({ spec: { nodeName: 'here' } })
  expect((await call('POST', `${pods}/a/binding`, { target: { name: 'there' } })).status).toBe(409)
})

test('status is written only through its own path', async () => {
  const { call } = world()
  await call('POST', pods, pod('a'))
  const merge = { 'content-type': 'application/merge-patch+json' }
  const change = { metadata: { labels: { x: 'y' } }, status: { phase: 'Running' } }
  expect((await call('PATCH', `${pods}/a`, change, merge)).value.status.phase).toBe('Pending')
  expect((await call('PATCH', `${pods}/a/status`, change, merge)).value.status.phase).toBe('Running')
  expect((await call('GET', `${pods}/a/status`)).value.status.phase).toBe('Running')
})

test('every request is logged and counted, including failed ones', async () => {
  const { call, requestLog } = world()
  await call('POST', pods, pod('a'))
  await call('POST', pods, pod('a'))
  await call('GET', pods)
  await call('GET', `${pods}/missing`)
  await call('PATCH', `${pods}/a/status`, {}, { 'content-type': 'application/merge-patch+json' })
  await call('DELETE', `${pods}/a`)
  await call('GET', '/healthz')
  expect(requestLog.recent().map(({ verb, resource, status }) => `${verb} ${resource} ${status}`)).toEqual([
    'create pods 201',
    'create pods 409',
    'list pods 200',
    'get pods 404',
    'patch pods/status 200',
    'delete pods 200',
    'get  200',
  ])
  expect([requestLog.writes('tester'), requestLog.writes('tester', 'pods'), requestLog.writes('nobody')]).toEqual([
    4, 3, 0,
  ])
  expect(requestLog.count('tester', 'create')).toBe(2)
})

test('the request log keeps the most recent requests in order and counts all', () => {
  const log = createRequestLog(3)
  for (let at = 0; at < 5; at++) {
    log.record({ at, user: 'a', method: 'POST', path: '/', verb: 'create', resource: 'pods', status: 201 })
  }
  expect(log.recent().map(({ at }) => at)).toEqual([2, 3, 4])
  expect(log.writes('a')).toBe(5)
})
