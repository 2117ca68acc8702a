// Watches as clients see them: their start, their events, their end.
import { noBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, test } from 'vitest'
import { createRegistry } from '../api/create-registry.ts'
import { silentNode } from '../api/silent-node.fixture.ts'
import { createStore } from '../store/store.ts'
import { createApiHandler } from './api-server.ts'
import { knownIdentity } from './authentication.ts'
import { createRequestLog } from './request-log.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read events without types.
type Event = { type: string; object: any }

function world(history = 100) {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore({ history }), clock, random })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  registry.create('namespaces', { metadata: { name: 'other' } })
  const requestLog = createRequestLog()
  const node = silentNode
  const authenticate = knownIdentity('tester')
  const handler = createApiHandler({ registry, node, clock, random, profile: '1.36', requestLog, authenticate })
  const config = (name: string, labels: Record<string, string> = {}, namespace = 'ci') => ({
    metadata: { name, namespace, labels },
  })
  const put = (name: string, labels?: Record<string, string>, namespace?: string) => {
    const object = config(name, labels, namespace)
    const there = registry.get('configmaps', object.metadata.namespace, name)
    return there ? registry.update('configmaps', object) : registry.create('configmaps', object)
  }
  /** Returns the events so far, and whether the stream has ended. */
  const watch = async (query: Record<string, string>, more: { accept?: string; signal?: AbortSignal } = {}) => {
    const path = '/api/v1/namespaces/ci/configmaps'
    const headers = more.accept ? { accept: more.accept } : {}
    const request = { method: 'GET', path, query: { watch: 'true', ...query }, headers, body: noBody } as const
    const answer = await handler({ ...request, expect: 'events', signal: more.signal })
    if (answer.body.kind === 'json') return { answer, events: [], names: [], state: { ended: true } }
    const events: Event[] = []
    const state = { ended: false }
    const items = answer.body.kind === 'events' ? (answer.body.items as AsyncIterable<Event>) : []
    const read = async () => {
      for await (const event of items) events.push(event)
      state.ended = true
    }
    void read()
    await clock.advance(0)
    return { answer, events, state }
  }
  return { clock, registry, put, watch }
}

const seen = (events: readonly Event[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim())

describe('a watch starts', () => {
  test('at the current objects if resourceVersion is missing or 0', async () => {
    const { put, watch, clock } = world()
    put('a')
    for (const query of [{}, { resourceVersion: '0' }, { resourceVersion: '' }]) {
      const { events } = await watch(query)
      expect(seen(events)).toEqual(['ADDED a'])
    }
    const { events } = await watch({})
    put('b')
    await clock.advance(0)
    expect(seen(events)).toEqual(['ADDED a', 'ADDED b'])
  })

  test('after a resourceVersion, with every change since, in order', async () => {
    const { put, watch, registry } = world()
    const { metadata } = put('a')
    put('b')
    put('a', { x: 'y' })
    registry.delete('configmaps', 'ci', 'b')
    const { events } = await watch({ resourceVersion: metadata.resourceVersion })
    expect(seen(events)).toEqual(['ADDED b', 'MODIFIED a', 'DELETED b'])
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion))
    expect(versions).toEqual([...versions].sort((one, other) => one - other))
  })

  test('with the initial list as events and a bookmark at its end, if requested', async () => {
    const { put, watch, clock, registry } = world()
    put('a')
    const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
    const { events } = await watch(query)
    expect(seen(events)).toEqual(['ADDED a', 'BOOKMARK'])
    expect(events[1]?.object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: String(registry.revision()),
        annotations: { 'k8s.io/initial-events-end': 'true' },
      },
    })
    put('b')
    await clock.advance(0)
    expect(seen(events)).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b'])
    const without = await watch({ ...query, sendInitialEvents: 'false' })
    expect(seen(without.events)).toEqual([])
  })

  test('or sends a 410 event if the revision is no longer available', async () => {
    const { put, watch, registry } = world(3)
    for (const name of ['a', 'b', 'c', 'd', 'e']) put(name)
    const { answer, events, state } = await watch({ resourceVersion: '1' })
    expect(answer.status).toBe(200)
    expect(events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }])
    expect(state.ended).toBe(true)
    const future = await watch({ resourceVersion: String(registry.revision() + 1) })
    expect(future.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }])
  })

  test('only without contradicting options', async () => {
    const { watch } = world()
    const status = async (query: Record<string, string>) => (await watch(query)).answer.status
    expect(await status({ sendInitialEvents: 'true' })).toBe(422)
    expect(await status({ resourceVersionMatch: 'NotOlderThan' })).toBe(422)
    expect(await status({ fieldSelector: 'spec.color=red' })).toBe(400)
    const later = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', resourceVersion: '999' }
    const { events } = await watch(later)
    expect(events).toMatchObject([{ type: 'ERROR', object: { code: 504, reason: 'Timeout' } }])
  })
})

describe('a watch sends', () => {
  test('ADDED for an object that enters the selector, and DELETED with its last matching state for one that leaves', async () => {
    const { put, watch, clock, registry } = world()
    put('a', { app: 'x' })
    put('b')
    const { events } = await watch({ labelSelector: 'app=x' })
    put('b', { app: 'x' })
    put('b', { app: 'x', more: 'y' })
    const left = put('b', { app: 'z' })
    registry.delete('configmaps', 'ci', 'b')
    await clock.advance(0)
    expect(seen(events)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED b'])
    expect(events[3]?.object.metadata).toMatchObject({
      labels: { app: 'x', more: 'y' },
      resourceVersion: left.metadata.resourceVersion,
    })
  })

  test('only objects of its namespace, and only one name if requested', async () => {
    const { put, watch, clock } = world()
    const all = await watch({})
    const one = await watch({ fieldSelector: 'metadata.name=b' })
    put('a')
    put('b')
    put('b', {}, 'other')
    await clock.advance(0)
    expect(seen(all.events)).toEqual(['ADDED a', 'ADDED b'])
    expect(seen(one.events)).toEqual(['ADDED b'])
  })

  test('tables if requested, with column definitions in the first event only', async () => {
    const { put, watch, clock } = world()
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const { events } = await watch({ allowWatchBookmarks: 'true' }, { accept })
    put('a')
    put('b')
    await clock.advance(60_000)
    expect(events.map(({ type, object }) => [type, object.kind, object.columnDefinitions?.length])).toEqual([
      ['ADDED', 'Table', 3],
      ['ADDED', 'Table', undefined],
      ['BOOKMARK', 'Table', undefined],
    ])
    expect(events[1]?.object.rows[0].cells[0]).toBe('b')
  })

  test('a bookmark every minute, only if requested', async () => {
    const { watch, clock, registry, put } = world()
    const asked = await watch({ allowWatchBookmarks: 'true' })
    const plain = await watch({})
    put('x', {}, 'other')
    await clock.advance(150_000)
    expect(seen(asked.events)).toEqual(['BOOKMARK', 'BOOKMARK'])
    expect(asked.events[0]?.object.metadata).toEqual({ resourceVersion: String(registry.revision()) })
    expect(plain.events).toEqual([])
  })
})

describe('a watch ends', () => {
  test('after timeoutSeconds, or after 30 to 60 minutes', async () => {
    const { watch, clock } = world()
    const short = await watch({ timeoutSeconds: '5' })
    const long = await watch({})
    await clock.advance(4_999)
    expect(short.state.ended).toBe(false)
    await clock.advance(1)
    expect(short.state.ended).toBe(true)
    await clock.advance(30 * 60_000 - 6_000)
    expect(long.state.ended).toBe(false)
    await clock.advance(30 * 60_000)
    expect(long.state.ended).toBe(true)
  })

  test('with its client, and leaves no timer and no subscription', async () => {
    const { watch, clock, put } = world()
    const client = new AbortController()
    const { events, state } = await watch({ allowWatchBookmarks: 'true' }, { signal: client.signal })
    expect(clock.next()).toBeDefined()
    client.abort()
    put('a')
    await clock.advance(0)
    expect([events, state.ended, clock.next()]).toEqual([[], true, undefined])
  })

  test('if its client falls too far behind', async () => {
    const { put, watch, clock } = world(100)
    const { events, state } = await watch({})
    for (let count = 0; count < 10_050; count++) put('a', { count: String(count) })
    await clock.advance(0)
    expect(state.ended).toBe(true)
    expect(events.length).toBeGreaterThan(9_000)
    expect(events.length).toBeLessThan(10_050)
  })
})
