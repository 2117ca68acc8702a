import { describe, expect, it } from 'vitest'
import type { PodFacts, Runner } from '../model/runner.ts'
import { decideLife, type LifeStep } from './life.ts'
import { phaseOf } from './phase.ts'
import { ended, job, limits, now, registration, runner, runnerSet, world } from './world-fixture.ts'

function stepFor(given: Runner, set = runnerSet()): LifeStep {
  return decideLife({ world: world([given], { set }), limits, now }, given)
}

function shown({ action, due, asksRegistrations, events = [] }: LifeStep): string {
  const parts: string[] = []
  if (action?.kind === 'end-runner') parts.push(`end (${action.because.kind})`)
  else if (action) parts.push(action.kind)
  for (const event of events) parts.push(event.kind === 'runner-failed' ? event.failure.reason : event.kind)
  if (asksRegistrations) parts.push('ask')
  if (due !== undefined) parts.push(`+${(due - now) / 1_000} s`)
  return parts.join(' ') || 'nothing'
}

const seconds = (count: number) => count * 1_000
const starting = (age: number, reason: string | undefined, troubleAge = age) =>
  runner('a', {
    createdAt: now - seconds(age),
    startFailure:
      reason === undefined
        ? undefined
        : ({ reason, message: 'm', since: now - seconds(troubleAge) } as PodFacts['startFailure']),
  })
const running = (age: number, over: Partial<Runner> = {}) =>
  runner('a', { createdAt: now - seconds(age + 1), startedAt: now - seconds(age), phase: 'Running' }, over)
const absent = (asked: number, since: number): Partial<Runner> => ({
  registration: { is: 'absent', at: now - seconds(asked) },
  registrationMissingSince: now - seconds(since),
})
const offline = (asked: number): Partial<Runner> => ({
  registration: { is: 'present', value: registration('a', { status: 'offline' }), at: now - seconds(asked) },
})

describe('one life', () => {
  it.each<[string, Runner, string]>([
    ['asked for, nothing known', runner('a', {}, { pod: { is: 'unknown', since: now } }), 'nothing'],
    ['starting, young', starting(3, undefined), '+12 s'],
    ['starting, no cause known after 15 s', starting(16, undefined), 'explain-runner +584 s'],
    ['unschedulable for 3 min: it may still come', starting(180, 'unschedulable'), 'runner-delayed +120 s'],
    ['unschedulable for 5 min', starting(300, 'unschedulable'), 'end (start-failed) unschedulable'],
    ['image not pulled for 20 s', starting(20, 'image-missing'), '+10 s'],
    ['image not pulled for 30 s', starting(30, 'image-missing'), 'end (start-failed) image-missing'],
    ['image name invalid', starting(1, 'image-invalid', 0), 'end (start-failed) image-invalid'],
    ['a ConfigMap is missing', starting(5, 'config-missing'), 'end (start-failed) config-missing'],
    ['a volume fails for 1 min', starting(60, 'volume-failed'), 'runner-delayed +60 s'],
    [
      'the same, told before',
      { ...starting(60, 'volume-failed'), explained: { reason: 'volume-failed', message: 'm', since: now } },
      '+60 s',
    ],
    ['a volume fails for 2 min', starting(120, 'volume-failed'), 'end (start-failed) volume-failed'],
    ['no cause after 10 min', starting(600, undefined), 'end (start-failed) sandbox-failed'],
    ['idle, young', running(10), '+60 s'],
    ['idle, the forge has not been asked for a minute', running(70, offline(70)), '+60 s'],
    ['idle and offline two minutes after its start', running(125, offline(1)), 'end (start-failed) never-online'],
    ['offline by an answer that is too old', running(125, offline(100)), '+60 s'],
    ['no registration, once', running(200, absent(1, 1)), '+60 s'],
    [
      'case 89: no registration in two answers two minutes apart, no job',
      running(200, absent(1, 121)),
      'end (ghost) runner-failed',
    ],
    ['the same with a job', running(200, { ...absent(1, 121), job }), 'nothing'],
    ['busy', running(9_000, { job }), 'nothing'],
    [
      'case 90: its job is told as completed while the pod runs',
      running(50, { job: { ...job, finished: { result: 'succeeded', at: now } } }),
      'nothing',
    ],
    ['ended', runner('a', { startedAt: now - 9_000, end: ended }, { job }), 'end (ended)'],
    ['vanished', runner('a', {}, { pod: { is: 'absent', at: now } }), 'end (lost)'],
    ['being deleted, within its grace', runner('a', { deletionDeadline: now + seconds(10) }), '+40 s'],
    [
      'being deleted, 31 s after its deadline',
      runner('a', { deletionDeadline: now - seconds(31) }),
      'termination-stuck',
    ],
  ])('%s', (_name, given, expected) => {
    expect(shown(stepFor(given))).toBe(expected)
  })

  it('keeps what failed and what finished as long as the set says', () => {
    const set = runnerSet({ keepFinishedMs: seconds(60), keepFailedMs: seconds(600) })
    const finished = runner('a', { end: ended, startedAt: now - 9_000 }, { job })
    const failed = runner(
      'a',
      { end: { ...ended, exitCode: 137, reason: 'OOMKilled' }, startedAt: now - 9_000 },
      { job },
    )
    expect(shown(stepFor(finished, set))).toBe('+59 s')
    expect(shown(stepFor(failed, set))).toBe('+599 s')
  })

  it('keeps no more than a bounded number', () => {
    const set = runnerSet({ keepFailedMs: seconds(600) })
    const failed = runner('a', { end: { ...ended, exitCode: 1, reason: 'Error' } })
    const crowd = Array.from({ length: limits.keptMax + 1 }, (_, index) => ({ ...failed, name: `r${index}` }))
    expect(shown(decideLife({ world: world(crowd, { set }), limits, now }, failed))).toBe('end (ended)')
  })

  it('ends a life that exceeds the set’s bound, busy or not', () => {
    const set = runnerSet({ lifeMaxMs: seconds(3_600) })
    expect(shown(stepFor(running(3_700, { job }), set))).toBe('end (life-exceeded) life-exceeded')
    expect(shown(stepFor(running(3_000, { job }), set))).toBe('+599 s')
  })
})

describe('the phase of a runner', () => {
  const phase = (facts: Partial<PodFacts>, over: Partial<Runner> = {}) => phaseOf(runner('a', facts, over))
  it.each([
    ['starting', phase({})],
    ['starting', phase({}, { pod: { is: 'unknown', since: now } })],
    ['idle', phase({ startedAt: now })],
    ['busy', phase({ startedAt: now }, { job })],
    ['busy', phase({}, { job })],
    [
      'busy',
      phase({ startedAt: now }, { registration: { is: 'present', value: registration('a', { busy: true }), at: now } }),
    ],
    ['busy', phase({ startedAt: now, deletionDeadline: now }, { job })],
    ['spent', phase({ startedAt: now }, { job: { ...job, finished: { result: 'failed', at: now } } })],
    ['spent', phase({ startedAt: now, deletionDeadline: now })],
    ['ended', phase({ startedAt: now, end: ended }, { job })],
    ['lost', phase({}, { pod: { is: 'absent', at: now }, job })],
  ])('%s', (expected, actual) => {
    expect(actual).toBe(expected)
  })
})
