// The verbs over a real store, with time that stands still until it is moved.
import { expect, test } from 'vitest'
import { seededRandom } from '../../lib/random.ts'
import { virtualClock } from '../../lib/virtual-clock.ts'
import { createStore } from '../store/store.ts'
import { createRegistry } from './create-registry.ts'
import { ApiError, type Status } from './errors.ts'

function world() {
  const clock = virtualClock()
  const registry = createRegistry({ store: createStore(), clock, random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  return { clock, registry }
}

function refusal(run: () => unknown): Status {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
  throw new Error('not refused')
}

const pod = (name: string, more: object = {}) => ({
  metadata: { namespace: 'ci', name, ...more },
  spec: { containers: [{ name: 'main', image: 'runner' }] },
})

test('a pod lives: created, bound, stopped with grace, gone', () => {
  const { registry } = world()
  const seen: string[] = []
  registry.subscribe('pods', (event) => seen.push(event.type))
  const created = registry.create('pods', pod('a'))
  expect(created.metadata).toMatchObject({ generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' })
  registry.bind('ci', 'a', 'here')
  const deletion = registry.delete('pods', 'ci', 'a')
  expect(deletion.gone).toBe(false)
  expect(deletion.object.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:30Z',
    deletionGracePeriodSeconds: 30,
    generation: 2,
  })
  expect(registry.delete('pods', 'ci', 'a', { gracePeriodSeconds: 0 }).gone).toBe(true)
  expect(seen).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED'])
})

test('what is refused says so in Kubernetes words', () => {
  const { registry } = world()
  registry.create('pods', pod('a'))
  expect(refusal(() => registry.create('pods', pod('a'))).message).toBe('pods "a" already exists')
  expect(refusal(() => registry.delete('pods', 'ci', 'b')).message).toBe('pods "b" not found')
})
