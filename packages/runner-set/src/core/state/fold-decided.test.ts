import { expect, it } from 'vitest'
import type { JournalEvent } from '../../model/event.ts'
import type { Failure } from '../../model/failure.ts'
import { now } from '../world.fixture.ts'
import { a, emptyDecision, open } from './state.fixture.ts'

const failure: Failure = { reason: 'image-missing', message: 'x' }
const shown = { ...failure, runner: a, at: now }
const about = { namespace: 'ci', set: 'linux', runner: a } as const

it.each([
  [now, now],
  [undefined, now],
  [now + 9, now + 9],
])('keeps the reading by which it scaled last: %s after another', (scaledBy, kept) => {
  const set = open()
  const decide = (by: number | undefined) => set.take({ kind: 'decided', decision: { ...emptyDecision, scaledBy: by } })
  decide(now)
  decide(scaledBy)
  expect(set.state.scaledBy).toBe(kept)
})

it.each<[JournalEvent, object | undefined]>([
  [{ kind: 'runner-failed', ...about, failure }, shown],
  [{ kind: 'runner-delayed', ...about, failure, since: now }, shown],
  [{ kind: 'runner-gone', ...about, because: 'ended' }, undefined],
])('shows the failure of a runner as the last reason: $kind', (event, last) => {
  const set = open()
  expect(set.take({ kind: 'decided', decision: { ...emptyDecision, events: [event] } })).toEqual([event])
  expect(set.state.history.last).toEqual(last)
})
