// The API server answers the recorded calls like kube-apiserver 1.36.3 (answers.jsonl), except for the deviations
// below. The same calls on a real cluster renew the recording: test/kubernetes/recorded.test.ts.
import { readFileSync } from 'node:fs'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { beforeAll, describe, expect, test } from 'vitest'
import { createStore } from '../../store/store.ts'
import { createApiHandler } from '../../wire/api-server.ts'
import { knownIdentity } from '../../wire/authentication.ts'
import { createRequestLog } from '../../wire/request-log.ts'
import { createRegistry } from '../create-registry.ts'
import { silentNode } from '../silent-node.fixture.ts'
import { createSystemObjects } from '../system-objects.ts'
import { calls } from './calls.fixture.ts'
import { play, type Recorded } from './play.fixture.ts'

/** Calls with another answer than Kubernetes', and why. A call without a deviation must leave this list. */
const deviations: Readonly<Record<string, string>> = {
  'node: create': 'no controller removes the taint of a new node, so the node gets none',
  'apply: a wrong type': 'a wrong type is refused when the object is decoded, with the message and code of a POST',
  'apply: a list for an object':
    'a wrong type is refused when the object is decoded, with the message and code of a POST',
  'apply: a wrong type in a custom object':
    'a wrong type is refused by the schema, with the message and code of a POST',
  'apply: a forbidden change': 'the message lists the changed fields instead of a text diff of Go structs',
  'events: another subject': "the message shows the value with its JSON field names instead of Go's names",
  'job: refused: a success policy': "the message shows the value with its JSON field names instead of Go's names",
}

const recorded = new Map<string, Recorded>(
  readFileSync(new URL('answers.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
    .map((answer) => [answer.title, answer]),
)

let ours: ReadonlyMap<string, Recorded> = new Map()

beforeAll(async () => {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  createSystemObjects(registry)
  registry.create('namespaces', { metadata: { name: 'recorded-12345' } })
  const node = silentNode
  const transport = createApiHandler({
    ...{ registry, node, clock, random, profile: '1.36' },
    authenticate: knownIdentity('tester'),
    requestLog: createRequestLog(),
  })
  const advancing = { ...clock, sleep: (ms: number) => clock.advance(ms) }
  const answers = await play(calls, { transport, namespace: 'recorded-12345', clock: advancing })
  ours = new Map(answers.map((answer) => [answer.title, answer]))
})

test('every call has a unique title and a recorded answer', () => {
  const titles = calls.map((call) => call.title)
  expect(new Set(titles).size).toBe(titles.length)
  expect([...recorded.keys()]).toEqual(titles)
})

describe('answers like kube-apiserver', () => {
  test.each(calls.map((call) => call.title).filter((title) => !(title in deviations)))('%s', (title) => {
    expect(ours.get(title)).toEqual(recorded.get(title))
  })
})

describe('deviates from kube-apiserver', () => {
  test.each(Object.entries(deviations))('%s: %s', (title) => {
    expect(ours.get(title)).toBeDefined()
    expect(ours.get(title)).not.toEqual(recorded.get(title))
  })
})
