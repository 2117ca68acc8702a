// The verbs over a real store. Time stands still until the test moves it. recorded/ compares single answers with those
// of kube-apiserver.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, test } from 'vitest'
import { createStore } from '../store/store.ts'
import { createRegistry } from './create-registry.ts'
import { refusal } from './refusal.fixture.ts'

function world(history?: number) {
  const clock = virtualClock()
  const store = createStore(history === undefined ? {} : { history })
  const registry = createRegistry({ store, clock, random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  const seen: string[] = []
  registry.subscribe('pods', ({ type, object: { metadata } }) => seen.push(`${type} ${metadata.name}`))
  return { clock, registry, seen }
}

const pod = (name: string, more: object = {}) => ({
  metadata: { namespace: 'ci', name, ...more },
  spec: { containers: [{ name: 'main', image: 'runner' }] },
})
const config = (name: string, more: object = {}) => ({ metadata: { namespace: 'ci', name, ...more } })

describe('a pod', () => {
  test('is created, bound, stopped gracefully and removed', () => {
    const { registry, seen } = world()
    const created = registry.create('pods', pod('a'))
    expect(created.metadata).toMatchObject({ generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' })
    registry.bind('ci', 'a', 'here')
    expect(registry.get('pods', 'ci', 'a')).toMatchObject({
      spec: { nodeName: 'here' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    })
    const deletion = registry.delete('pods', 'ci', 'a')
    expect(deletion.gone).toBe(false)
    expect(deletion.object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    })
    expect(registry.delete('pods', 'ci', 'a', { gracePeriodSeconds: 0 }).gone).toBe(true)
    expect(seen).toEqual(['ADDED a', 'MODIFIED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a'])
  })

  test('a second DELETE only shortens the grace period, and never into the past', async () => {
    const { clock, registry } = world()
    registry.create('pods', pod('a'))
    registry.bind('ci', 'a', 'here')
    const ask = (gracePeriodSeconds?: number) =>
      registry.delete('pods', 'ci', 'a', { gracePeriodSeconds }).object.metadata
    expect(ask(20)).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 20 })
    await clock.advance(10_000)
    expect(ask()).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 20 })
    expect(ask(25)).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 20 })
    expect(ask(15)).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:15Z', deletionGracePeriodSeconds: 15 })
    expect(ask(5)).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 1 })
  })

  test('is removed at once, with two events, if it has ended or has no node', () => {
    const { registry, seen } = world()
    registry.create('pods', pod('a'))
    registry.bind('ci', 'a', 'here')
    const ended = { ...registry.get('pods', 'ci', 'a'), status: { phase: 'Succeeded' } }
    registry.update('pods', ended, { subresource: 'status' })
    seen.length = 0
    const { gone, object } = registry.delete('pods', 'ci', 'a', { gracePeriodSeconds: 30 })
    expect(gone).toBe(true)
    expect(object.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 })
    expect(seen).toEqual(['MODIFIED a', 'DELETED a'])
  })

  test('is bound once, and not while it is being deleted', () => {
    const { registry } = world()
    registry.create('pods', pod('a'))
    registry.bind('ci', 'a', 'here')
    expect(refusal(() => registry.bind('ci', 'a', 'there')).message).toBe(
      'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "here"',
    )
    registry.delete('pods', 'ci', 'a')
    expect(refusal(() => registry.bind('ci', 'a', 'there')).message).toContain('is being deleted')
  })
})

describe('a deletion', () => {
  test('waits for finalizers, and the write that removes the last one removes the object', () => {
    const { registry } = world()
    registry.create('configmaps', config('a', { finalizers: ['x.dev/a', 'x.dev/b'] }))
    expect(registry.delete('configmaps', 'ci', 'a').gone).toBe(false)
    const take = (finalizers: string[]) =>
      registry.patch(
        'configmaps',
        { namespace: 'ci', name: 'a' },
        { type: 'merge', body: { metadata: { finalizers } } },
      )
    take(['x.dev/b'])
    expect(registry.get('configmaps', 'ci', 'a')?.metadata.finalizers).toEqual(['x.dev/b'])
    const before = registry.revision()
    take([])
    expect(registry.get('configmaps', 'ci', 'a')).toBeUndefined()
    expect(registry.revision()).toBe(before + 1)
  })

  test.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ] as const)('%s leaves its finalizer to the garbage collector', (propagationPolicy, finalizers) => {
    const { registry } = world()
    registry.create('configmaps', config('a'))
    expect(registry.delete('configmaps', 'ci', 'a', { propagationPolicy }).gone).toBe(false)
    expect(registry.get('configmaps', 'ci', 'a')?.metadata.finalizers).toEqual(finalizers)
    expect(registry.delete('configmaps', 'ci', 'a', { propagationPolicy: 'Background' }).gone).toBe(true)
  })

  test('removes the selected objects of a collection', () => {
    const { registry } = world()
    for (const name of ['a', 'b', 'c']) registry.create('configmaps', config(name, { labels: { name } }))
    const deleted = registry.deleteCollection('configmaps', 'ci', { labelSelector: 'name!=b' })
    expect(deleted.map((object) => object.metadata.name)).toEqual(['a', 'c'])
    expect(registry.list('configmaps').map((object) => object.metadata.name)).toEqual(['b'])
  })
})

describe('a namespace', () => {
  test('accepts no new objects while it is being deleted, and is removed when its controller finalizes it', () => {
    const { registry } = world()
    registry.create('configmaps', config('a'))
    const going = registry.delete('namespaces', undefined, 'ci')
    expect(going.gone).toBe(false)
    expect(going.object).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } })
    expect(refusal(() => registry.create('configmaps', config('b')))).toMatchObject({
      code: 403,
      message:
        'configmaps "b" is forbidden: unable to create new content in namespace ci because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    })
    const revision = registry.revision()
    registry.delete('namespaces', undefined, 'ci')
    expect(registry.revision()).toBe(revision)
    registry.update('namespaces', { ...going.object, spec: { finalizers: [] } }, { subresource: 'finalize' })
    expect(registry.get('namespaces', undefined, 'ci')).toBeUndefined()
  })
})

describe('a write', () => {
  test('creates no revision if it changes nothing', () => {
    const { registry, seen } = world()
    const created = registry.create('pods', pod('a'))
    const revision = registry.revision()
    expect(registry.update('pods', structuredClone(created))).toBe(created)
    expect([registry.revision(), seen]).toEqual([revision, ['ADDED a']])
  })

  test('returns the result and stores nothing if it is a dry run', () => {
    const { registry, seen } = world()
    const stored = registry.create('pods', pod('a'))
    const before = registry.revision()
    const dryRun = true
    expect(registry.create('pods', pod('b'), { dryRun }).metadata).not.toHaveProperty('resourceVersion')
    const labelled = { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } }
    expect(registry.update('pods', labelled, { dryRun }).metadata.labels).toEqual({ a: 'b' })
    expect(registry.delete('pods', 'ci', 'a', { dryRun }).gone).toBe(true)
    expect([registry.revision(), seen, registry.list('pods').length]).toEqual([before, ['ADDED a'], 1])
  })

  test('validates each changed part of the metadata at an update', () => {
    const { registry } = world()
    const stored = registry.create('configmaps', config('a', { labels: { good: 'x' } }))
    for (const bad of [
      { labels: { 'a b': 'x' } },
      { annotations: { 'a b': 'x' } },
      { finalizers: ['a b'] },
      { ownerReferences: [{ apiVersion: 'v1', kind: '', name: 'n', uid: 'u' }] },
      { generateName: '_' },
    ]) {
      const next = { ...stored, metadata: { ...stored.metadata, ...bad } }
      expect(refusal(() => registry.update('configmaps', next)).reason, JSON.stringify(bad)).toBe('Invalid')
    }
  })

  test('generates unused names, and fails after too many attempts', () => {
    const { registry } = world()
    const made = new Set(
      Array.from({ length: 50 }, () => registry.create('configmaps', config('', { generateName: 'x-' })).metadata.name),
    )
    expect(made.size).toBe(50)
    for (const name of made) expect(name).toMatch(/^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    const stuck = createRegistry({ store: createStore(), clock: virtualClock(), random: () => 0 })
    stuck.create('namespaces', { metadata: { name: 'ci' } })
    stuck.create('configmaps', config('', { generateName: 'x-' }))
    expect(refusal(() => stuck.create('configmaps', config('', { generateName: 'x-' }))).message).toBe(
      'configmaps "x-bbbbb" already exists, the server was not able to generate a unique name for the object',
    )
  })

  test('shares nothing with the input', () => {
    const { registry } = world()
    const given = { ...config('a'), data: { a: '1' } }
    const stored = registry.create('configmaps', given)
    given.data.a = '2'
    expect(stored['data']).toEqual({ a: '1' })
    expect(() => Object.assign(stored['data'] as object, { a: '3' })).toThrow(TypeError)
  })
})

describe('events', () => {
  test('are removed an hour after their last write, when new events arrive', async () => {
    const { clock, registry } = world()
    const about = { involvedObject: { kind: 'Pod', namespace: 'ci' } }
    const event = (name: string) => registry.create('events', { ...config(name), ...about })
    event('a')
    const b = event('b')
    await clock.advance(3_000_000)
    registry.update('events', { ...b, count: 2 })
    await clock.advance(1_000_000)
    event('c')
    expect(registry.list('events').map((object) => object.metadata.name)).toEqual(['b', 'c'])
  })
})

describe('hostile input', () => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)

  test('is refused before any recursion if it nests too deeply', () => {
    const { registry } = world()
    const made = registry.create('configmaps', config('a'))
    const deep = { ...config('b'), data: nested(100_000) }
    const by = { client: { name: 'hostile', version: 'v1' } }
    expect(refusal(() => registry.create('configmaps', deep, by)).message).toContain('exceeded max depth')
    expect(refusal(() => registry.update('configmaps', { ...made, data: nested(100_000) }, by)).code).toBe(400)
    for (const type of ['merge', 'strategic'] as const) {
      const body = nested(100_000)
      const patch = () => registry.patch('configmaps', { namespace: 'ci', name: 'a' }, { type, body }, by)
      expect(refusal(patch).code).toBe(400)
    }
  })

  test('may use the names of inherited properties as keys', () => {
    const { registry } = world()
    const hostile = JSON.parse('{"__proto__": {"polluted": "1"}, "constructor": "x", "toString": "y"}')
    const stored = registry.create('configmaps', { ...config('a', { labels: { constructor: 'x' } }), data: hostile })
    expect(stored['data']).toEqual({ constructor: 'x', toString: 'y' })
    expect(Object.getPrototypeOf(stored['data'])).toBe(Object.prototype)
    registry.create('configmaps', config('b'))
    const found = (labelSelector: string) =>
      registry.page('configmaps', { labelSelector }).items.map((object) => object.metadata.name)
    expect([found('constructor'), found('!constructor'), found('toString')]).toEqual([['a'], ['b'], []])
    const changed = registry.update('configmaps', { ...stored, data: { constructor: 'x' } })
    expect(changed['data']).toEqual({ constructor: 'x' })
    for (const text of ['constructor', 'toString']) {
      const pod = { ...config(`p-${text.toLowerCase()}`), spec: { priorityClassName: text, containers: [] } }
      expect(refusal(() => registry.create('pods', pod)).message).toContain(`no PriorityClass with name ${text}`)
      const secret = { ...config(`s-${text.toLowerCase()}`), type: text }
      expect(registry.create('secrets', secret)['type']).toBe(text)
    }
  })
})

describe('a list', () => {
  test('keeps the state of its first page on all pages', () => {
    const { registry } = world()
    for (const name of ['a', 'b', 'c', 'd', 'e']) registry.create('configmaps', config(name))
    const first = registry.page('configmaps', { namespace: 'ci', limit: 2 })
    expect(first).toMatchObject({ remaining: 3, revision: registry.revision() })
    registry.delete('configmaps', 'ci', 'c')
    registry.create('configmaps', config('bb'))
    const second = registry.page('configmaps', { namespace: 'ci', limit: 2, continue: first.continue })
    const third = registry.page('configmaps', { namespace: 'ci', limit: 2, continue: second.continue })
    const pages = [first, second, third].map(({ items }) => items.map((object) => object.metadata.name))
    expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect([second.revision, third.revision, third.continue]).toEqual([first.revision, first.revision, undefined])
  })

  test('fails with 410 if it is too old, and offers a token that continues without consistency', () => {
    const { registry } = world(3)
    for (const name of ['a', 'b', 'c', 'd', 'e']) registry.create('configmaps', config(name))
    const first = registry.page('configmaps', { limit: 2 })
    for (const name of ['f', 'g', 'h', 'i']) registry.create('configmaps', config(name))
    const status = refusal(() => registry.page('configmaps', { limit: 2, continue: first.continue }))
    expect(status).toMatchObject({ code: 410, reason: 'Expired' })
    const rest = registry.page('configmaps', { continue: String(status.metadata['continue']) })
    expect(rest.items.map((object) => object.metadata.name)).toEqual(['c', 'd', 'e', 'f', 'g', 'h', 'i'])
    expect(refusal(() => registry.page('configmaps', { exactly: 2 }))).toMatchObject({ code: 410 })
    expect(refusal(() => registry.page('configmaps', { continue: 'nonsense' }))).toMatchObject({ code: 400 })
  })
})
