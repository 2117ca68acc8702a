// Events go some time after their last write, and not before.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createStore } from '../store/store.ts'
import { createRegistry } from './create-registry.ts'

const minute = 60_000

function setUp() {
  const clock = virtualClock()
  const registry = createRegistry({ store: createStore(), clock, random: seededRandom(1), eventTtlMs: 5 * minute })
  registry.create('namespaces', { metadata: { name: 'default' } })
  const event = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  })
  const names = () => registry.list('events').map(({ metadata }) => metadata.name)
  return { clock, registry, names, write: (name: string) => registry.create('events', event(name)) }
}

test('an Event stays until its time is over and another one is written', async () => {
  const { clock, names, write } = setUp()
  write('one')
  await clock.advance(2 * minute)
  write('two')
  await clock.advance(3 * minute - 1)
  write('three')
  expect(names()).toEqual(['one', 'three', 'two'])
  await clock.advance(1)
  write('four')
  expect(names()).toEqual(['four', 'three', 'two'])
})

test('an Event that is written again stays longer', async () => {
  const { clock, registry, names, write } = setUp()
  const first = write('one')
  write('two')
  await clock.advance(4 * minute)
  registry.update('events', { ...first, count: 2 })
  await clock.advance(2 * minute)
  write('three')
  expect(names()).toEqual(['one', 'three'])
  await clock.advance(3 * minute)
  write('four')
  expect(names()).toEqual(['four', 'three'])
})

test('an Event that was deleted and made again keeps the time of the new one', async () => {
  const { clock, registry, names, write } = setUp()
  write('one')
  await clock.advance(4 * minute)
  registry.delete('events', 'default', 'one')
  write('one')
  await clock.advance(2 * minute)
  write('two')
  expect(names()).toEqual(['one', 'two'])
})

test('a thousand Events at one instant go together', async () => {
  const { clock, names, write } = setUp()
  for (let index = 0; index < 1_000; index++) write(`old-${index}`)
  await clock.advance(5 * minute)
  write('new')
  expect(names()).toEqual(['new'])
})
