// Our API server gives the answers that kube-apiserver 1.36.3 gave to the same calls (answers.jsonl), but for the deviations named here.
// test/kubernetes/recorded.test.ts plays the calls on a real cluster and renews the recording.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../../lib/random.ts'
import { virtualClock } from '../../../lib/virtual-clock.fixture.ts'
import { createStore } from '../../store/store.ts'
import { createApiHandler } from '../../wire/api-server.ts'
import { knownIdentity } from '../../wire/authentication.ts'
import { createRequestLog } from '../../wire/request-log.ts'
import { createRegistry } from '../create-registry.ts'
import { calls } from './calls.ts'
import { play, type Recorded } from './play.ts'

/** What we answer otherwise, and why. A call that no longer deviates must leave this list. */
const deviations: Readonly<Record<string, string>> = {
  'node: create': 'nothing here takes the taint of a new node away again, so it does not get one',
  'job: refused: a success policy': "the value is shown with its names as clients know them, not with Go's own",
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
  for (const name of ['default', 'recorded-12345']) registry.create('namespaces', { metadata: { name } })
  const node = { async *logs() {} }
  const transport = createApiHandler({
    ...{ registry, node, clock, random, profile: '1.36' },
    authenticate: knownIdentity('tester'),
    requestLog: createRequestLog(),
  })
  const answers = await play(calls, { transport, namespace: 'recorded-12345', clock })
  ours = new Map(answers.map((answer) => [answer.title, answer]))
})

test('every call has its own title and its recorded answer', () => {
  const titles = calls.map((call) => call.title)
  expect(new Set(titles).size).toBe(titles.length)
  expect([...recorded.keys()]).toEqual(titles)
})

describe('as kube-apiserver answered', () => {
  test.each(calls.map((call) => call.title).filter((title) => !(title in deviations)))('%s', (title) => {
    expect(ours.get(title)).toEqual(recorded.get(title))
  })
})

describe('otherwise, for a reason', () => {
  test.each(Object.entries(deviations))('%s: %s', (title) => {
    expect(ours.get(title)).toBeDefined()
    expect(ours.get(title)).not.toEqual(recorded.get(title))
  })
})
