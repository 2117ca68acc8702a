// A runner of GitHub exits when its registration is gone, and the watch may show that before the answer to our removal.
import { expect, it } from 'vitest'
import { ended, now, podFacts } from '../world.fixture.ts'
import { a, open, seconds } from './state.fixture.ts'

/** A set whose only runner has ended during its removal. */
function endedBeforeAnswer(exitCode: number) {
  const running = podFacts({ startedAt: now - seconds(60) })
  const set = open()
  set.list({ [a]: running })
  set.end({ kind: 'surplus' })
  set.seen({ ...running, end: { ...ended, exitCode, at: now } })
  return set
}

it('is no early exit', () => {
  expect(endedBeforeAnswer(0).pending()).toMatchObject([{ early: false }])
})

it('leaves no job to cover, and no registration, once the removal is confirmed', () => {
  const set = endedBeforeAnswer(1)
  expect([set.pending(), set.world().departed]).toEqual([[expect.anything()], [expect.anything()]])
  set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'removed' } })
  expect([set.pending(), set.world().departed]).toEqual([[], []])
})
