// When a status is written, and what its report puts into the journal.
import { describe, expect, it } from 'vitest'
import type { Condition, SetStatus } from '../model/status.ts'
import type { SetWorld } from '../model/world.ts'
import { decide } from './decide.ts'
import { needOf } from './need.ts'
import { limited, statusOf } from './report.ts'
import { ids, limits, now, world } from './world.fixture.ts'

const underway = { 'check-template': false, 'list-registrations': false, report: false }
const until = now + 60_000
const demand = { known: true, value: { kind: 'assigned', jobs: 1 }, at: now } as const
const atLimit: Partial<SetWorld> = { demand, allowance: { now: 0, nextAt: until } }
const condition = (type: Condition['type'], reason: string): Condition => ({
  ...{ type, reason, status: 'True', message: 'x' },
  ...{ lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 },
})
const quiet = world([], { underway })
const decided = (over: Partial<SetWorld>) => {
  const given = { ...quiet, ...over }
  return decide({ ...given, need: needOf(given, limits, now) }, limits, now, ids)
}
const reports = (over: Partial<SetWorld>) => decided(over).actions.some(({ kind }) => kind === 'report')

it('wakes when the last failure is no longer shown', () => {
  const last = { reason: 'pod-vanished', message: 'm', at: now - 10_000, runner: 'a' } as const
  const history = { ...quiet.history, last }
  const given = { ...quiet, history }
  const reported = { status: statusOf({ world: given, limits, now }), at: now - 5_000 }
  expect(decided({ history, reported }).wakeAt).toBe(last.at + limits.lastReasonMs)
  const later = now + limits.lastReasonMs
  const { actions } = decide({ ...given, reported }, limits, later, ids)
  expect(actions).toContainEqual({ kind: 'report', status: expect.objectContaining({ lastReason: null }) })
})

describe('the limit of the forge', () => {
  it.each<[string, Partial<SetWorld>, boolean]>([
    ['begins with this report', atLimit, true],
    ['begins although another condition has its reason', { conditions: [condition('Reconciling', limited)] }, true],
    ['begins after another reason', { conditions: [condition('Ready', 'Ready')] }, true],
    ['is known from the last report', { conditions: [condition('Ready', limited)] }, false],
    [
      'is known among others',
      { conditions: [condition('ForgeConnected', 'Connected'), condition('Ready', limited)] },
      false,
    ],
    ['is not reported yet', { reported: { status: undefined, at: now } }, false],
    [
      'is hidden by a failure of the forge',
      { forgeFailure: { reason: 'forge-unreachable', message: 'x', since: now } },
      false,
    ],
    ['is no limit: the next registration is allowed', { allowance: { now: 1, nextAt: until } }, false],
    ['is no limit: no runner waits', { demand: { ...demand, value: { kind: 'assigned', jobs: 0 } } }, false],
  ])('%s', (_, over, isNoted) => {
    const { events } = decided({ ...atLimit, ...over })
    const noted = { kind: 'registrations-limited', namespace: 'ci', set: 'linux', until }
    expect(events).toEqual(isNoted ? [noted] : [])
  })
})

describe('the end of the version of the runner', () => {
  const runnerVersion: SetWorld['runnerVersion'] = {
    ...{ version: '2.330.0', from: 'runner', minimum: undefined },
    schedule: { runtimeEndsAt: now + 3 * 86_400_000, registrationEndsAt: undefined },
  }
  const { conditions, ...status } = statusOf({ world: { ...quiet, runnerVersion }, limits, now })
  const events = (over: Partial<SetWorld>) => decided({ runnerVersion, ...over }).events.map(({ kind }) => kind)
  const supported = (reason: string) =>
    conditions.map((one) => (one.type === 'RunnerVersionSupported' ? { ...one, reason } : one))

  it('is noted when its report begins, and not when only another condition changes', () => {
    expect(events({})).toContain('runner-version-ends')
    expect(events({ conditions: supported('Earlier') })).toContain('runner-version-ends')
    const others = conditions.map((one) => (one.type === 'RunnerVersionSupported' ? one : { ...one, reason: 'Other' }))
    expect(events({ conditions: others })).not.toContain('runner-version-ends')
  })

  it.each([
    ['is not written again', {}, false],
    ['is written if no version was', { runnerVersion: null }, true],
    ['is written if the version differs', { runnerVersion: { ...status.runnerVersion, version: '2.331.0' } }, true],
  ])('%s', (_, written, isWritten) => {
    const reported = { status: { ...status, conditions, ...written } as SetStatus, at: now - 5_000 }
    expect(reports({ runnerVersion, conditions, reported })).toBe(isWritten)
  })

  it('is written if no version is known any more', () => {
    expect(reports({ conditions, reported: { status: { ...status, conditions }, at: now - 5_000 } })).toBe(true)
  })
})

describe('a status that was written', () => {
  const status = statusOf({ world: quiet, limits, now })
  const written = (conditions: readonly Condition[]): Partial<SetWorld> => ({
    conditions: status.conditions,
    reported: { status: { ...status, conditions }, at: now - 5_000 },
  })
  const changed = (at: number, change: Partial<Condition>) =>
    status.conditions.map((one, index) => (index === at ? { ...one, ...change } : one))

  it('is not written again', () => expect(reports(written(status.conditions))).toBe(false))

  it.each([
    ['has one condition less', status.conditions.slice(0, -1)],
    ['has one condition more', [...status.conditions, condition('Stalled', 'x')]],
    ['differs in the message of the first condition', changed(0, { message: 'other' })],
    ['differs in the reason of the last condition', changed(status.conditions.length - 1, { reason: 'Other' })],
  ])('is written again if it %s', (_, conditions) => expect(reports(written(conditions))).toBe(true))

  it('is written again if the detail of a problem differs', () => {
    const settingsFailure = { reason: 'forge-settings-differ', message: 'x' } as const
    const { conditions, ...other } = statusOf({ world: { ...quiet, settingsFailure }, limits, now })
    const [problem] = other.problems
    const reported = (detail: string) => {
      const problems = problem ? [{ ...problem, detail }] : []
      return { settingsFailure, conditions, reported: { status: { ...other, conditions, problems }, at: now - 5_000 } }
    }
    expect(reports(reported('x'))).toBe(false)
    expect(reports(reported('y'))).toBe(true)
  })

  it('is written again if a count differs', () => {
    const reported = { status: { ...status, idle: status.idle === 0 ? 1 : 0 }, at: now - 5_000 }
    expect(reports({ ...written(status.conditions), reported })).toBe(true)
  })
})
