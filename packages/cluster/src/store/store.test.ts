// The store: order, history, indexes. The property tests compare it with a simple model.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoreEvent } from './event-ring.ts'
import { keyOf, type StoredObject } from './object.ts'
import { createStore, type Store } from './store.ts'

const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid })

function object(
  name: string,
  more: { namespace?: string; owners?: readonly string[]; value?: number } = {},
): StoredObject {
  const { namespace = 'ci', owners, value = 0 } = more
  const ownerReferences = owners?.map(owner)
  const metadata = { name, namespace, uid: name, resourceVersion: '', creationTimestamp: '' }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, ...(ownerReferences ? { ownerReferences } : {}) },
    value,
  }
}

const names = (objects: readonly StoredObject[]) => objects.map(({ metadata }) => metadata.name)
const keyed = (objects: readonly StoredObject[]) =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`)

describe('the store', () => {
  test('gives each write the next revision of the whole store, and freezes stored objects', () => {
    const store = createStore()
    const first = store.put('pods', object('a'))
    const second = store.put('secrets', object('b'))
    expect([first.metadata.resourceVersion, second.metadata.resourceVersion, store.revision()]).toEqual(['1', '2', 2])
    expect(Object.isFrozen(first) && Object.isFrozen(first.metadata)).toBe(true)
    expect(store.remove('pods', 'ci/a')?.metadata.resourceVersion).toBe('3')
    expect(store.remove('pods', 'ci/a')).toBeUndefined()
    expect(store.revision()).toBe(3)
  })

  test('lists in the order of keys, one namespace alone, and from a key', () => {
    const store = createStore()
    for (const [namespace, name] of [
      ['b', 'a'],
      ['a', 'z'],
      ['a', 'b'],
      ['a-b', 'c'],
    ] as const) {
      store.put('pods', object(name, { namespace }))
    }
    expect(names(store.list('pods'))).toEqual(['c', 'b', 'z', 'a'])
    expect(names(store.list('pods', { namespace: 'a' }))).toEqual(['b', 'z'])
    expect(names(store.list('pods', { namespace: 'a', after: 'a/b' }))).toEqual(['z'])
    expect(names(store.list('pods', { after: 'a/b' }))).toEqual(['z', 'a'])
  })

  test('delivers all changes to all subscribers in order, even if a subscriber writes', () => {
    const store = createStore()
    const seen: string[][] = [[], []]
    store.subscribe('pods', ({ type, object: { metadata } }) => {
      seen[0]?.push(`${type} ${metadata.name}`)
      if (type === 'ADDED' && metadata.name === 'a') store.put('pods', object('b'))
    })
    store.subscribe('pods', ({ type, object: { metadata } }) => seen[1]?.push(`${type} ${metadata.name}`))
    store.put('pods', object('a'))
    expect(seen).toEqual([
      ['ADDED a', 'ADDED b'],
      ['ADDED a', 'ADDED b'],
    ])
  })

  test('delivers nothing to a subscriber that has stopped, even during a change', () => {
    const store = createStore()
    const seen: string[] = []
    const stopSecond: (() => void)[] = []
    store.subscribe('pods', () => stopSecond[0]?.())
    stopSecond.push(store.subscribe('pods', ({ object: { metadata } }) => seen.push(metadata.name)))
    store.put('pods', object('a'))
    store.put('pods', object('b'))
    expect(seen).toEqual([])
  })

  test('starts a watch in the past, or reports that the revision has expired', () => {
    const store = createStore({ history: 2 })
    for (const name of ['a', 'b', 'c']) store.put('pods', object(name))
    store.put('secrets', object('s'))
    const seen: string[] = []
    expect(store.watchFrom('pods', 0, () => {}).is).toBe('expired')
    const watch = store.watchFrom('pods', 1, ({ object: { metadata } }) => seen.push(metadata.name))
    store.put('pods', object('d'))
    expect(seen).toEqual(['b', 'c', 'd'])
    if (watch.is === 'watching') watch.stop()
    store.put('pods', object('e'))
    expect(seen).toEqual(['b', 'c', 'd'])
    expect(store.listAt('pods', 1)).toBeUndefined()
  })

  test('finds the dependents of an owner', () => {
    const store = createStore()
    store.put('pods', object('a', { owners: ['x', 'y'] }))
    store.put('secrets', object('b', { owners: ['x'] }))
    expect(names(store.dependents('x'))).toEqual(['a', 'b'])
    store.put('pods', object('a', { owners: ['y'] }))
    store.remove('secrets', 'ci/b')
    expect(names(store.dependents('x'))).toEqual([])
    expect(names(store.dependents('y'))).toEqual(['a'])
  })
})

type Step = {
  readonly name: string
  readonly namespace: string
  readonly remove: boolean
  readonly owners: readonly string[]
}

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  namespace: fc.constantFrom('x', 'y'),
  remove: fc.boolean(),
  owners: fc.subarray(['p', 'q']),
})

function run(store: Store, { name, namespace, remove, owners }: Step): void {
  if (remove) store.remove('pods', keyOf(namespace, name))
  else store.put('pods', object(name, { namespace, owners }))
}

describe('after any sequence of writes', () => {
  test('the list of any revision and the watch from it give the present list', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.nat(),
        fc.integer({ min: 1, max: 50 }),
        (steps, at, history) => {
          const store = createStore({ history })
          const lists = [store.list('pods')]
          for (const next of steps) {
            const before = store.revision()
            run(store, next)
            if (store.revision() > before) lists.push(store.list('pods'))
          }
          const from = at % lists.length
          const then = new Map(
            (lists[from] ?? []).map((item) => [keyOf(item.metadata.namespace, item.metadata.name), item]),
          )
          const events: StoreEvent[] = []
          const watch = store.watchFrom('pods', from, (event) => events.push(event))
          const reaches = lists.length - 1 - from <= history
          expect(watch.is).toBe(reaches ? 'watching' : 'expired')
          expect(store.listAt('pods', from) === undefined).toBe(!reaches)
          if (!reaches) return
          expect(keyed(store.listAt('pods', from) ?? [])).toEqual(keyed(lists[from] ?? []))
          for (const event of events) {
            const key = keyOf(event.object.metadata.namespace, event.object.metadata.name)
            expect(event.before).toBe(then.get(key))
            if (event.type === 'DELETED') then.delete(key)
            else then.set(key, event.object)
          }
          expect(keyed([...then.keys()].sort().flatMap((key) => then.get(key) ?? []))).toEqual(
            keyed(store.list('pods')),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  test('an index by values equals a scan of all objects, for a range of them too', () => {
    const valuesOf = (item: StoredObject) => item.metadata.ownerReferences?.map(({ uid }) => uid) ?? []
    const ranges = [{}, { namespace: 'x' }, { after: 'x/b' }]
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(40), (steps, early) => {
        const store = createStore()
        for (const next of steps.slice(0, early)) run(store, next)
        const found = store.indexBy('pods', valuesOf)
        for (const next of steps.slice(early)) run(store, next)
        for (const range of ranges) {
          const owned = store.list('pods', range).filter((item) => valuesOf(item).includes('p'))
          expect(found('p', range)).toEqual(owned)
        }
      }),
    )
  })

  test('the index of owners equals a scan of all objects', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = createStore()
        for (const next of steps) run(store, next)
        for (const uid of ['p', 'q']) {
          const owned = store
            .list('pods')
            .filter((item) => item.metadata.ownerReferences?.some((ref) => ref.uid === uid))
          expect(keyed(store.dependents(uid)).sort()).toEqual(keyed(owned).sort())
        }
      }),
    )
  })
})
