// The listener's states, without I/O: the next step of each, and the transition for each result.
import type { Random } from '@dayfly/kit/random'
import { expect, test } from 'vitest'
import { GitHubError, type GitHubReason } from '../calls/errors.ts'
import {
  initialState,
  type ListenerSession,
  type ListenerState,
  nextStep,
  type Phase,
  type StepResult,
  sessionIdIn,
} from './listener-state.ts'
import { transition } from './listener-transition.ts'

type State = ListenerState<ListenerSession>
type Polling = Extract<Phase<ListenerSession>, { is: 'polling' }>

const now = 1_000_000
const highest: Random = () => 1
const session: ListenerSession = { id: 'one', renewAt: now + 60_000 }
const counts = { roundTripMs: 0, quick: 0, repeated: 0, unreadable: 0 }
const polling: Polling = {
  is: 'polling',
  session,
  cursor: '41',
  counts,
  renewed: false,
  refreshTried: false,
  wasCut: false,
}
const renewing = { is: 'renewing', session, cursor: '41', counts, attempts: 0 } as const
const opening = { is: 'opening', previous: 'one', cursor: '41' } as const
const claiming = { is: 'claiming', previous: 'one' } as const

function inPhase(phase: Phase<ListenerSession>, more: Partial<State> = {}): State {
  return { ...initialState<ListenerSession>(undefined), phase, ...more }
}

function withCounts(change: Partial<Polling['counts']>): Polling {
  return { ...polling, counts: { ...counts, ...change } }
}

function error(reason: GitHubReason, status = 500): GitHubError {
  return new GitHubError(reason, `${reason} happened`, { status })
}

const after = (state: State, result: StepResult<ListenerSession>, demandKnown = true) =>
  transition(state, result, { now, random: highest, demandKnown })

test.each<[string, string, State]>([
  ['claiming', 'claim', inPhase(claiming)],
  ['opening', 'open', inPhase(opening)],
  ['polling', 'poll', inPhase(polling)],
  ['renewing', 'refresh', inPhase(renewing)],
  ['a poll that was cut', 'refresh', inPhase({ ...polling, wasCut: true })],
  ['unknown demand', 'refresh', inPhase(polling, { reported: 'x' })],
  ['unknown demand after a refresh', 'poll', inPhase({ ...polling, refreshTried: true }, { reported: 'x' })],
  ['a token to renew', 'refresh', inPhase({ ...polling, session: { id: 'one', renewAt: now } })],
  [
    'a token to renew after a refresh',
    'poll',
    inPhase({ ...polling, session: { id: 'one', renewAt: now }, refreshTried: true }),
  ],
  ['a token of unknown life', 'poll', inPhase({ ...polling, session: { id: 'one', renewAt: undefined } })],
])('%s is followed by the step %s', (_, step, state) => {
  expect(nextStep(state, now)).toBe(step)
})

const fail = (reason: GitHubReason): StepResult<ListenerSession> => ({ is: 'failed', error: error(reason) })
const refreshFails = (reason: GitHubReason): StepResult<ListenerSession> => ({
  is: 'refresh-failed',
  error: error(reason),
})
const other: ListenerSession = { id: 'two', renewAt: undefined }
const unreadable = { is: 'unreadable', messageId: '50', error: error('bad-answer', 200) } as const
const repeatedIn = (failure?: GitHubError) => ({ is: 'repeated', messageId: '50', error: failure }) as const

test.each<[string, Phase<ListenerSession>, StepResult<ListenerSession>, Phase<ListenerSession>]>([
  ['a claim opens, from the first message on', claiming, { is: 'claimed' }, { ...opening, cursor: undefined }],
  [
    'a new session polls with the old cursor',
    opening,
    { is: 'opened', session: other, tookMs: 7 },
    { ...polling, session: other, counts: { ...counts, roundTripMs: 7 } },
  ],
  ['a refresh is followed by a poll', polling, { is: 'refreshed' }, { ...polling, refreshTried: true }],
  [
    'a failed refresh is followed by a poll',
    polling,
    refreshFails('server-failed'),
    { ...polling, refreshTried: true },
  ],
  [
    'an answered poll allows the next refresh',
    { ...polling, refreshTried: true, renewed: true },
    { is: 'received' },
    polling,
  ],
  ['a cut poll asks for a refresh', { ...polling, refreshTried: true }, { is: 'cut' }, { ...polling, wasCut: true }],
  [
    'a refresh after a cut poll polls',
    { ...polling, wasCut: true },
    { is: 'refreshed' },
    { ...polling, refreshTried: true },
  ],
  ['a renewed token polls', renewing, { is: 'refreshed' }, { ...polling, renewed: true, refreshTried: true }],
  ['a failed renewal is repeated', renewing, refreshFails('server-failed'), { ...renewing, attempts: 1 }],
  ['a first unreadable delivery is counted', polling, unreadable, withCounts({ unreadable: 1 })],
  [
    'a third unreadable delivery opens behind the message',
    withCounts({ unreadable: 2 }),
    unreadable,
    { ...opening, cursor: '50' },
  ],
  [
    'a third unreadable delivery without an id opens at the same cursor',
    withCounts({ unreadable: 2 }),
    { ...unreadable, messageId: undefined },
    opening,
  ],
  ['a readable delivery ends the count', withCounts({ unreadable: 2 }), { is: 'received' }, polling],
  ['a repeated message moves the cursor', polling, repeatedIn(), { ...withCounts({ repeated: 1 }), cursor: '50' }],
  [
    'a repeated message that cannot be deleted is polled again',
    withCounts({ repeated: 1 }),
    repeatedIn(error('server-failed')),
    withCounts({ repeated: 2 }),
  ],
  [
    'the third time it is passed over',
    withCounts({ repeated: 2 }),
    repeatedIn(error('server-failed')),
    { ...withCounts({ repeated: 3 }), cursor: '50' },
  ],
  [
    'an acknowledgement moves the cursor',
    polling,
    { is: 'acknowledged', sessionId: 'one', messageId: '42' },
    { ...polling, cursor: '42' },
  ],
  [
    'an acknowledgement of another session does not',
    polling,
    { is: 'acknowledged', sessionId: 'zero', messageId: '7' },
    polling,
  ],
])('%s', (_, phase, result, next) => {
  expect(after(inPhase(phase), result).state.phase).toEqual(next)
})

test.each<[string, Partial<State>, GitHubReason, boolean, { readonly pauses: boolean; readonly reports: boolean }]>([
  ['the second reset', { failures: 1, failingSince: 7 }, 'unreachable', true, { pauses: true, reports: true }],
  ['the first reset before demand is known', {}, 'unreachable', false, { pauses: true, reports: true }],
  ['the second lost session', { failures: 1 }, 'session-gone', true, { pauses: true, reports: true }],
  [
    'a failure that was reported',
    { failures: 4, reported: 'forge-unreachable unreachable 500' },
    'unreachable',
    true,
    { pauses: true, reports: false },
  ],
])('%s: pause and report', (_, more, reason, demandKnown, expected) => {
  const { state, failing } = after(inPhase(polling, more), fail(reason), demandKnown)
  expect({ pauses: state.resumeAt > now, reports: failing !== undefined }).toEqual(expected)
  if (failing) expect(failing.since).toBe(more.failingSince ?? now)
})

test('the pause grows with each failure and stays below a minute', () => {
  let state = inPhase(opening)
  const pauses = Array.from({ length: 10 }, () => {
    state = after(state, fail('unreachable')).state
    return state.resumeAt - now
  })
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000])
})

test('known demand ends the report, and only an answered poll ends the row of failures', () => {
  const failing = inPhase(polling, { failures: 3, failingSince: 7, reported: 'x' })
  const refreshed = after(failing, { is: 'refreshed' }).state
  expect(refreshed).toMatchObject({ failures: 3, failingSince: undefined, reported: undefined })
  expect(after(failing, { is: 'refreshed' }, false).state).toMatchObject({ failingSince: 7, reported: 'x' })
  expect(after(refreshed, { is: 'nothing', tookMs: 50_000 }).state).toMatchObject({ failures: 0 })
})

test.each([
  [50, 0, true],
  [150, 0, false],
  [350, 300, true],
  [700, 300, false],
  [50_000, 30_000, false],
])('a poll that returns nothing after %i ms at a round trip of %i ms pauses: %s', (tookMs, roundTripMs, pauses) => {
  const { state } = after(inPhase(withCounts({ roundTripMs })), { is: 'nothing', tookMs })
  expect(state.resumeAt > now).toBe(pauses)
})

test.each<[Phase<ListenerSession>, string | undefined]>([
  [{ is: 'claiming', previous: undefined }, undefined],
  [claiming, 'one'],
  [opening, 'one'],
  [polling, 'one'],
  [renewing, 'one'],
])('%j leaves the session %s for deletion', (phase, id) => {
  expect(sessionIdIn(inPhase(phase))).toBe(id)
})
