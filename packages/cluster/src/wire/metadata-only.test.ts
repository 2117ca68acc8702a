// Metadata alone, for clients that request it: no other part of an object leaves the server.
// Source: https://kubernetes.io/docs/reference/using-api/api-concepts/
import { jsonBody, type Method, noBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createRegistry } from '../api/create-registry.ts'
import { silentNode } from '../api/silent-node.fixture.ts'
import { createStore } from '../store/store.ts'
import { createApiHandler } from './api-server.ts'
import { knownIdentity } from './authentication.ts'
import { createRequestLog } from './request-log.ts'

const one = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
const many = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'
const secrets = '/api/v1/namespaces/ci/secrets'

function world() {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  for (const name of ['a', 'b', 'c']) {
    registry.create('secrets', { metadata: { name, namespace: 'ci' }, stringData: { password: 'geheim' } })
  }
  const backend = { registry, node: silentNode, clock, random, profile: '1.36' } as const
  const handler = createApiHandler({
    ...backend,
    requestLog: createRequestLog(),
    authenticate: knownIdentity('tester'),
  })
  const ask = async (
    method: Method,
    path: string,
    accept: string,
    query: Record<string, string> = {},
    body?: object,
  ) => {
    const headers = { accept, 'content-type': 'application/merge-patch+json' }
    const answer = await handler({
      method,
      path,
      query,
      headers,
      body: body ? jsonBody(body) : noBody,
      expect: 'whole',
    })
    return {
      status: answer.status,
      body: answer.body,
      value: answer.body.kind === 'json' ? answer.body.value : undefined,
    }
  }
  return { registry, clock, ask }
}

test('a list has pages, and each item is a PartialObjectMetadata', async () => {
  const { ask } = world()
  const { value } = await ask('GET', secrets, many, { limit: '2' })
  expect(value).toMatchObject({
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { remainingItemCount: 1, continue: expect.any(String), resourceVersion: expect.any(String) },
    items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }, {}],
  })
  expect(JSON.stringify(value)).not.toContain(Buffer.from('geheim').toString('base64'))
})

test('reading and changing one object return its metadata', async () => {
  const { ask } = world()
  const read = await ask('GET', `${secrets}/a`, one)
  expect(Object.keys(read.value as object)).toEqual(['kind', 'apiVersion', 'metadata'])
  const changed = await ask('PATCH', `${secrets}/a`, one, {}, { metadata: { labels: { x: 'y' } } })
  expect(changed.value).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { x: 'y' } } })
})

test('a list form for one object, and the reverse, are refused', async () => {
  const { ask } = world()
  const list = await ask('GET', secrets, one)
  expect(list).toMatchObject({
    status: 406,
    value: { reason: 'NotAcceptable', message: expect.stringContaining('is a list') },
  })
  expect(await ask('GET', `${secrets}/a`, many)).toMatchObject({ status: 406 })
})

test('the events and bookmarks of a watch contain metadata only', async () => {
  const { ask, clock } = world()
  const { body } = await ask('GET', secrets, one, { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: '90' })
  const events: { type: string; object: { kind: string } }[] = []
  const reading = (async () => {
    for await (const event of body.kind === 'events' ? body.items : []) events.push(event as (typeof events)[number])
  })()
  await clock.advance(100_000)
  await reading
  expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'BOOKMARK'])
  expect(events.every(({ object }) => object.kind === 'PartialObjectMetadata' && !('data' in object))).toBe(true)
})
