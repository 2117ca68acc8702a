// Lists of the Events about one object. The store refuses to list all Events, so each answer comes from the index.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createStore } from '../store/store.ts'
import { createRegistry } from './create-registry.ts'

function setUp() {
  const store = createStore()
  const list: typeof store.list = (resource, range) => {
    if (resource === 'events') throw new Error('a walk over all Events')
    return store.list(resource, range)
  }
  const registry = createRegistry({ store: { ...store, list }, clock: virtualClock(), random: seededRandom(1) })
  for (const name of ['a', 'b']) registry.create('namespaces', { metadata: { name } })
  const write = (namespace: string, name: string, subject: object, verb: 'create' | 'update' = 'create') =>
    registry[verb]('events', {
      metadata: { name, namespace },
      involvedObject: { kind: 'Pod', namespace, ...subject },
      reason: name,
    })
  const page = (fieldSelector: string, more: object = {}) => registry.page('events', { fieldSelector, ...more })
  const names = (...asked: Parameters<typeof page>) =>
    page(...asked).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  return { registry, write, page, names }
}

test('a list by UID or name has the Events of all namespaces or of one, in order, and obeys the other selectors', () => {
  const { write, names } = setUp()
  write('b', 'three', { uid: 'u', name: 'p' })
  write('a', 'two', { uid: 'u', name: 'p' })
  write('a', 'one', { uid: 'other', name: 'p' })
  expect(names('involvedObject.uid=u')).toEqual(['a/two', 'b/three'])
  expect(names('involvedObject.name==p')).toEqual(['a/one', 'a/two', 'b/three'])
  expect(names('involvedObject.name=p', { namespace: 'a' })).toEqual(['a/one', 'a/two'])
  expect(names('reason!=two,involvedObject.name=p,involvedObject.uid=u')).toEqual(['b/three'])
  expect(names('involvedObject.uid=u,involvedObject.uid=other')).toEqual([])
  expect(() => names('involvedObject.uid!=u')).toThrow('a walk over all Events')
})

test('an Event that gets another subject, or is gone, is no longer found by the old one', () => {
  const { registry, write, names } = setUp()
  write('a', 'one', { uid: 'u', name: 'p' })
  write('a', 'two', { uid: 'u', name: 'p' })
  write('a', 'one', { uid: 'v', name: 'p' }, 'update')
  expect([names('involvedObject.uid=u'), names('involvedObject.uid=v')]).toEqual([['a/two'], ['a/one']])
  registry.delete('events', 'a', 'two')
  expect([names('involvedObject.uid=u'), names('involvedObject.name=p')]).toEqual([[], ['a/one']])
})

test('pages of such a list follow each other, and the later ones show it as it was', () => {
  const { registry, write, page } = setUp()
  for (const name of ['one', 'three', 'two']) write('a', name, { uid: 'u', name: 'p' })
  const first = page('involvedObject.uid=u', { limit: 2 })
  const next = { limit: 2, continue: first.continue }
  const shown = () => page('involvedObject.uid=u', next).items.map(({ metadata }) => metadata.name)
  expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['one', 'three'])
  expect(shown()).toEqual(['two'])
  registry.delete('events', 'a', 'two')
  expect(shown()).toEqual(['two'])
})
