// The two shapes of Events: each change is seen in both, with the same revision, and expires in both.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createStore } from '../store/store.ts'
import { createRegistry } from './create-registry.ts'
import { eventProjection } from './event-shapes.ts'

const [old, young] = ['events', 'events.events.k8s.io']
const namespace = 'ci'

function world() {
  const clock = virtualClock()
  const registry = createRegistry({ store: createStore(), clock, random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: namespace } })
  const record = (name: string) =>
    registry.create(old, {
      metadata: { name, namespace },
      involvedObject: { kind: 'Pod', name: 'p', namespace },
      ...{ reason: 'Pulled', message: 'Done', type: 'Normal', count: 1, source: { component: 'kubelet' } },
      ...{ firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:00Z', eventTime: null },
    })
  return { clock, registry, record }
}

test('a watch of either shape sees every change with its revision', () => {
  const { registry, record } = world()
  const seen: string[] = []
  const from = registry.revision()
  record('early')
  for (const resource of [old, young]) {
    registry.watchFrom(resource, from, ({ type, object, before, revision }) => {
      const text = (event?: Record<string, unknown>) => event?.['message'] ?? event?.['note'] ?? '-'
      seen.push(`${revision} ${type} ${object.apiVersion} ${text(before)} ${text(object)}`)
    })
  }
  registry.patch(young, { namespace, name: 'early' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
  registry.delete(old, namespace, 'early')
  const lines = (apiVersion: string) =>
    [`ADDED ${apiVersion} - Done`, `MODIFIED ${apiVersion} Done Done`, `DELETED ${apiVersion} Done Done`].map(
      (line, index) => `${from + index + 1} ${line}`,
    )
  const [inOld, inNew] = ['v1', 'events.k8s.io/v1'].map((version) =>
    seen.filter((line) => line.includes(` ${version} `)),
  )
  expect([inOld, inNew]).toEqual([lines('v1'), lines('events.k8s.io/v1')])
})

test('an Event survives the way into the other shape and back', () => {
  const { registry, record } = world()
  const stored = record('e')
  const shown = registry.get(young, namespace, 'e')
  expect(shown).toMatchObject({ note: 'Done', deprecatedCount: 1, regarding: { name: 'p' } })
  expect(eventProjection.hide(shown ?? stored)).toEqual(stored)
})

test('Events expire an hour after their last write in both shapes', async () => {
  const { clock, registry, record } = world()
  record('kept')
  record('old')
  await clock.advance(3_000_000)
  registry.patch(young, { namespace, name: 'kept' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
  await clock.advance(900_000)
  record('new')
  expect(registry.list(young).map(({ metadata }) => metadata.name)).toEqual(['kept', 'new'])
})

test('pages and past lists have the other shape, too', () => {
  const { registry, record } = world()
  for (const name of ['a', 'b', 'c']) record(name)
  const first = registry.page(young, { namespace, limit: 2 })
  registry.delete(young, namespace, 'c')
  const rest = registry.page(young, { namespace, limit: 2, continue: first.continue })
  expect([...first.items, ...rest.items].map(({ metadata, note }) => `${metadata.name} ${note}`)).toEqual([
    'a Done',
    'b Done',
    'c Done',
  ])
})
