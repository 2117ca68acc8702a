// A process gains the lead: pods that another process created may lack their Secret.
import { expect, it } from 'vitest'
import type { StartOutcome } from '../../model/outcome.ts'
import { ended, now, podFacts, registration } from '../world.fixture.ts'
import { a, open, refused, seconds, unavailable } from './state.fixture.ts'

/** A set that has just gained the lead, with one pod. */
function takenOver(facts: Parameters<typeof podFacts>[0] = {}) {
  const set = open()
  set.list({ [a]: podFacts(facts) })
  set.take({ kind: 'term-began' })
  return set
}

type Answer = Extract<Parameters<ReturnType<typeof open>['outcome']>[0], { action: 'look-up-secret' }>['result']

const answer = (set: ReturnType<typeof open>, result: Answer, at = now) =>
  set.outcome({ action: 'look-up-secret', runner: a, result }, at)
const asks = (set: ReturnType<typeof open>, at: number) =>
  set.tick(at).actions.some(({ kind }) => kind === 'look-up-secret')

it.each([
  ['has not started', {}, true],
  ['has started', { startedAt: now - 1 }, false],
  ['ended before it started', { end: ended }, false],
])('the Secret of a pod that %s is looked up: %s', (_what, facts, isLookedUp) => {
  expect(asks(takenOver(facts), now)).toBe(isLookedUp)
})

it.each([
  ['has not started', 'unknown', {}],
  ['has started', 'written', { startedAt: now - 1 }],
  ['ended before it started', 'written', { end: ended }],
])('in a later term of this process, the Secret of its own pod that %s is %s', (_what, secret, facts) => {
  const set = open()
  set.list()
  set.request()
  const results: readonly StartOutcome[] = [
    { is: 'registered', registration: registration(a) },
    { is: 'pod-created', pod: podFacts() },
    { is: 'secret-created' },
  ]
  for (const result of results) set.outcome({ action: 'start-runner', runner: a, result })
  set.seen({ ...facts, resourceVersion: '2' })
  expect(set.runner()).toMatchObject({ secret: 'written' })
  set.take({ kind: 'term-began' })
  expect(set.runner()).toMatchObject({ secret })
})

it('a pod with its Secret goes on, and is asked about no more', () => {
  const set = takenOver()
  answer(set, { is: 'present' })
  expect(set.runner()).toMatchObject({ secret: 'written' })
  expect(asks(set, now)).toBe(false)
})

it('a pod without its Secret is ended at once, and is no failed start', () => {
  const set = takenOver()
  answer(set, { is: 'absent' })
  expect(set.tick().actions).toContainEqual(expect.objectContaining({ because: { kind: 'abandoned' } }))
  expect(set.state.history.failuresInARow).toBe(0)
})

it('a look-up that fails is made again after a wait that grows', () => {
  const set = takenOver()
  answer(set, refused(unavailable))
  const { failures, retryAt = 0 } = set.runner()?.lookUp ?? {}
  expect(failures).toBe(1)
  expect([asks(set, retryAt - 1), asks(set, retryAt)]).toEqual([false, true])
  answer(set, refused(unavailable), retryAt)
  expect(set.runner()?.lookUp).toMatchObject({ failures: 2 })
  expect((set.runner()?.lookUp?.retryAt ?? 0) - retryAt).toBeGreaterThan(retryAt - now)
})

it('a look-up that the end of the term stops leaves the Secret unknown', () => {
  const set = takenOver()
  answer(set, { is: 'aborted' })
  expect(set.runner()).toMatchObject({ secret: 'unknown', lookUp: undefined })
})

it('a pod that ends, or goes, gives its room free', () => {
  const set = open()
  set.list({ [a]: podFacts({ startedAt: now - 1 }) })
  expect(set.state.freedAt).toBeUndefined()
  set.seen({ startedAt: now - 1, node: 'n' }, now + 1)
  expect(set.state.freedAt).toBeUndefined()
  set.gone({ startedAt: now - 1 }, now + seconds(2))
  expect(set.state.freedAt).toBe(now + seconds(2))
})
