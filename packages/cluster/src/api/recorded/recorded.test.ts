// The API server answers the recorded calls like kube-apiserver 1.36.3 (calls.jsonl), except for the deviations
// below. The same calls on a real cluster renew the recording: test/kubernetes/recorded.test.ts.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { beforeAll, describe, expect, test } from 'vitest'
import { startDisruptionController } from '../../controllers/disruption/disruption-controller.ts'
import { createStore } from '../../store/store.ts'
import { createApiHandler } from '../../wire/api-server.ts'
import { knownIdentity } from '../../wire/authentication.ts'
import { createRequestLog } from '../../wire/request-log.ts'
import { createRegistry } from '../create-registry.ts'
import { silentNode } from '../silent-node.fixture.ts'
import { createSystemObjects } from '../system-objects.ts'
import { type CallAnswer, exchanges } from './calls.fixture.ts'
import { play } from './play.fixture.ts'

/** Calls with another answer than Kubernetes', and why. A call without a deviation must leave this list. */
const deviations: Readonly<Record<string, string>> = {
  'node: create': 'no controller removes the taint of a new node, so the node gets none',
  'apply: a wrong type': 'a wrong type is refused when the object is decoded, with the message and code of a POST',
  'apply: a list for an object':
    'a wrong type is refused when the object is decoded, with the message and code of a POST',
  'apply: a wrong type in a custom object':
    'a wrong type is refused by the schema, with the message and code of a POST',
  'apply: a forbidden change': 'the message lists the changed fields instead of a text diff of Go structs',
  'job: refused: a success policy': "the message shows the value with its JSON field names instead of Go's names",
}

let ours: ReadonlyMap<string, CallAnswer> = new Map()

beforeAll(async () => {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  createSystemObjects(registry)
  startDisruptionController({ registry, clock })
  registry.create('namespaces', { metadata: { name: 'recorded-12345' } })
  const node = silentNode
  const transport = createApiHandler({
    ...{ registry, node, clock, random, profile: '1.36' },
    authenticate: knownIdentity('tester'),
    requestLog: createRequestLog(),
  })
  const advancing = { ...clock, sleep: (ms: number) => clock.advance(ms) }
  const played = await play(exchanges, { transport, namespace: 'recorded-12345', clock: advancing })
  ours = new Map(played.map(({ title, answer }) => [title, answer]))
})

test('every call has a unique title', () => {
  expect(new Set(exchanges.map(({ title }) => title)).size).toBe(exchanges.length)
})

describe('answers like kube-apiserver', () => {
  test.each(exchanges.filter(({ title }) => !(title in deviations)))('$title', ({ title, answer }) => {
    expect(ours.get(title)).toEqual(answer)
  })
})

describe('deviates from kube-apiserver', () => {
  test.each(Object.entries(deviations))('%s: %s', (title) => {
    expect(ours.get(title)).toBeDefined()
    expect(ours.get(title)).not.toEqual(exchanges.find((exchange) => exchange.title === title)?.answer)
  })
})
