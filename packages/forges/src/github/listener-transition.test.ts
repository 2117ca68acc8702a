// A table of errors and steps: the phase in which the listener goes on, its pause and its report.
import { describe, expect, test } from 'vitest'
import { GitHubError, type GitHubReason } from './calls/errors.ts'
import { initialState, type ListenerSession, type Phase, type StepResult } from './session/listener-state.ts'
import { transition } from './session/listener-transition.ts'

const now = 1_000_000
const session: ListenerSession = { id: 'one', renewAt: undefined }
const counts = { roundTripMs: 0, quick: 0, repeated: 0, unreadable: 0 }
const claiming = { is: 'claiming', previous: 'one' } as const
const opening = { is: 'opening', previous: 'one', cursor: '41' } as const
const used = { session, cursor: '41', counts }
const polling = { is: 'polling', ...used, renewed: false, refreshTried: true, wasCut: false } as const
const renewing = { is: 'renewing', ...used, attempts: 0 } as const

type Result = (error: GitHubError) => StepResult<ListenerSession>
const fails: Result = (error) => ({ is: 'failed', error })
const refreshFails: Result = (error) => ({ is: 'refresh-failed', error })
const acknowledgeFails: Result = (error) => ({ is: 'repeated', messageId: '41', error })

/** The state of the listener in a situation, and the step that fails in it. */
const situations: Readonly<Record<string, readonly [Phase<ListenerSession>, Result]>> = {
  'a claim': [claiming, fails],
  'the creation of a session': [opening, fails],
  'a poll': [polling, fails],
  'a poll with a renewed token': [{ ...polling, renewed: true }, fails],
  'a refresh': [polling, refreshFails],
  'a refresh after a cut poll': [{ ...polling, wasCut: true }, refreshFails],
  'a renewal': [renewing, refreshFails],
  'the third renewal': [{ ...renewing, attempts: 2 }, refreshFails],
  'an acknowledgement': [polling, acknowledgeFails],
  'the third acknowledgement': [{ ...polling, counts: { ...counts, repeated: 2 } }, acknowledgeFails],
}

/**
 * Each cell names the next phase and the effect of a first failure: `alarm` pauses and reports, `pause` only pauses,
 * `hurry` only counts the failure, and `-` does nothing.
 */
const table = `
 after an error of           | scale-set-gone | session-gone   | token-refused  | unreachable    | credential-refused
 a claim                     | claiming alarm | claiming alarm | claiming alarm | claiming alarm | claiming alarm
 the creation of a session   | claiming alarm | opening alarm  | opening alarm  | opening alarm  | opening alarm
 a poll                      | claiming alarm | opening hurry  | renewing -     | polling pause  | polling alarm
 a poll with a renewed token | claiming alarm | opening hurry  | opening hurry  | polling pause  | polling alarm
 a refresh                   | claiming alarm | opening hurry  | polling -      | polling -      | polling -
 a refresh after a cut poll  | claiming alarm | opening hurry  | polling alarm  | polling pause  | polling alarm
 a renewal                   | claiming alarm | opening hurry  | renewing alarm | renewing pause | renewing alarm
 the third renewal           | claiming alarm | opening hurry  | opening hurry  | opening pause  | opening alarm
 an acknowledgement          | claiming alarm | opening hurry  | polling alarm  | polling pause  | polling alarm
 the third acknowledgement   | claiming alarm | opening hurry  | polling pause  | polling pause  | polling pause
`
const [head = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

describe.each(rows)('%s', (situation, ...cells) => {
  test.each(cells.map((cell, column) => [head[column + 1] as GitHubReason, cell] as const))(
    '%s: %s',
    (reason, cell) => {
      const [phase, result] = situations[situation]!
      const before = { ...initialState<ListenerSession>(undefined), phase }
      const error = new GitHubError(reason, `${reason} happened`, { status: 500 })
      const { state, failing } = transition(before, result(error), { now, random: () => 1, demandKnown: true })
      const paused = state.resumeAt > now
      const kind = failing ? 'alarm' : paused ? 'pause' : state.failures > 0 ? 'hurry' : '-'
      expect(`${state.phase.is} ${kind}`).toBe(cell)
      expect(paused).toBe(kind === 'alarm' || kind === 'pause')
      expect(failing?.since).toBe(failing && now)
      if (state.phase.is === 'claiming' || state.phase.is === 'opening') expect(state.phase.previous).toBe('one')
      if (state.phase.is !== 'claiming') expect(state.phase.cursor).toBe('41')
      // Only a failed poll is followed by a refresh at once.
      if (state.phase.is === 'polling') expect(state.phase.refreshTried).toBe(result === refreshFails)
    },
  )
})
