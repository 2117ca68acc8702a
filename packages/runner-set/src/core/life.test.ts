import { describe, expect, it } from 'vitest'
import type { FailureReason } from '../model/failure.ts'
import type { DeregisterAnswer, PodFacts, Runner } from '../model/runner.ts'
import { decideLife } from './life.ts'
import type { LifeDecision } from './moment.ts'
import { phaseOf } from './phase.ts'
import { noHistory } from './state/history.ts'
import { ended, job, limits, now, registration, runner, runnerSet, world } from './world.fixture.ts'

function stepFor(given: Runner, set = runnerSet()): LifeDecision {
  return decideLife({ world: world([given], { set }), limits, now }, given)
}

function shown({ action, due, mark, asksRegistrations, events = [] }: LifeDecision): string {
  const parts: string[] = []
  if (action && 'because' in action) parts.push(`${action.kind.replace('-runner', '')} (${action.because.kind})`)
  else if (action) parts.push(action.kind)
  for (const event of events) parts.push(event.kind === 'runner-failed' ? event.failure.reason : event.kind)
  if (mark?.is === 'stuck') parts.push('stuck')
  if (mark?.is === 'delayed' && events.length === 0) parts.push('delayed')
  if (asksRegistrations) parts.push('list')
  if (due !== undefined) parts.push(`+${(due - now) / 1_000} s`)
  return parts.join(' ') || 'nothing'
}

const seconds = (count: number) => count * 1_000
const starting = (age: number, reason: string | undefined, causeAge = age) =>
  runner('a', {
    createdAt: now - seconds(age),
    startFailure:
      reason === undefined
        ? undefined
        : ({ reason, message: 'm', since: now - seconds(causeAge) } as PodFacts['startFailure']),
  })
const stepping = (age: number, allowed: number | undefined) => {
  const step = { allowedMs: allowed && seconds(allowed), late: 'init-hangs' } as const
  const startFailure = { reason: 'start-under-way', message: 'm', since: now - seconds(age), step } as const
  return runner('a', { createdAt: now - seconds(age), startFailure })
}
const shownStep = (given: Runner, message: string): Runner => {
  return { ...given, delay: { reason: 'start-under-way', message, since: now } }
}
const running = (age: number, over: Partial<Runner> = {}) =>
  runner('a', { createdAt: now - seconds(age + 1), startedAt: now - seconds(age) }, over)
const requested = (lookUp?: Runner['lookUp']): Runner => ({
  ...runner('a', {}, { pod: { is: 'requested', since: now } }),
  lookUp,
})
const deletedFor = (age: number, over: Partial<Runner> = {}) =>
  runner('a', { deletionDeadline: now - seconds(age) }, over)
const deletedOnSilentNode = (age: number) =>
  runner('a', {
    startedAt: now - seconds(200),
    nodeSilentSince: now - seconds(age),
    deletionDeadline: now + seconds(30),
  })
const onSilentNode = (age: number, over: Partial<Runner> = {}) =>
  runner('a', { startedAt: now - seconds(200), nodeSilentSince: now - seconds(age) }, over)
const failure = { reason: 'api-unavailable', message: 'no response' } as const
const pull = (age: number) => {
  const step = { allowedMs: undefined, late: 'image-slow' } as const
  return { reason: 'start-under-way', message: 'm', since: now - seconds(age), step } as const
}
const cause = (reason: FailureReason, age: number) => ({ reason, message: 'm', since: now - seconds(age) })
const shownDelay = (given: Runner, reason: FailureReason): Runner => ({ ...given, delay: cause(reason, 1) })
const afterJob = (age: number) =>
  running(age + 60, { job: { ...job, finished: { result: 'succeeded', at: now - seconds(age) } } })
const ending = (
  given: Runner,
  answer: DeregisterAnswer,
  retryIn: number | undefined,
  kind: 'surplus' | 'ghost' = 'surplus',
): Runner => {
  const retryAt = retryIn === undefined ? undefined : now + seconds(retryIn)
  return { ...given, ending: { because: { kind }, answer, failures: 1, retryAt } }
}
const busyAtForge: Partial<Runner> = {
  registration: { is: 'present', value: registration('a', { busy: true }), at: now },
}
const absent = (asked: number, since: number): Partial<Runner> => ({
  registration: { is: 'absent', at: now - seconds(asked) },
  registrationMissingSince: now - seconds(since),
})
const offline = (asked: number): Partial<Runner> => ({
  registration: { is: 'present', value: registration('a', { status: 'offline' }), at: now - seconds(asked) },
})
const online = (asked: number): Partial<Runner> => ({
  registration: { is: 'present', value: registration('a', { status: 'online' }), at: now - seconds(asked) },
})

describe('one life', () => {
  it.each<[string, Runner, string]>([
    ['requested', requested(), 'nothing'],
    ['requested, its response lost', requested({ failures: 0, retryAt: undefined }), 'look-up-pod'],
    ['requested, the look-up failed', requested({ failures: 1, retryAt: now + 4_000 }), '+4 s'],
    ['requested, the look-up is due again', requested({ failures: 1, retryAt: now }), 'look-up-pod'],
    [
      'created without its Secret, and it runs: the response was lost, the Secret exists',
      running(10, { broken: failure }),
      '+60 s',
    ],
    ['created without its Secret, and it has a job', running(10, { broken: failure, job }), 'nothing'],
    [
      'created without its Secret, and the forge reports it as busy',
      { ...starting(10, undefined), ...busyAtForge, broken: failure },
      'nothing',
    ],
    ['created without its Secret', runner('a', {}, { broken: failure }), 'deregister (start-failed) api-unavailable'],
    ['starting, young', starting(3, undefined), '+12 s'],
    ['starting, no cause known after 15 s', starting(16, undefined), 'explain-runner +584 s'],
    ['starting for exactly 15 s', starting(15, undefined), 'explain-runner +585 s'],
    ['looked up 5 s ago', { ...starting(21, undefined), explainedAt: now - seconds(5) }, '+9 s'],
    ['starting for 31 s, no cause known', { ...starting(31, undefined), explainedAt: now }, 'runner-delayed +15 s'],
    [
      'the same, shown before',
      { ...shownDelay(starting(31, undefined), 'start-unexplained'), explainedAt: now },
      '+15 s',
    ],
    [
      'a cause from the events',
      { ...starting(20, undefined), explained: cause('volume-failed', 19) },
      'explain-runner +100 s',
    ],
    [
      'a cause from the events, old enough to be shown',
      { ...starting(40, undefined), explained: cause('volume-failed', 30), explainedAt: now },
      'runner-delayed +15 s',
    ],
    [
      'an image that the node pulls for 29 s',
      { ...starting(50, undefined), explained: pull(29), explainedAt: now },
      '+1 s',
    ],
    [
      'an image that the node pulls for 10 min',
      { ...starting(620, undefined), explained: pull(600) },
      'deregister (start-failed) image-slow',
    ],
    [
      'another cause than the one that is shown',
      { ...shownDelay(starting(60, 'volume-failed'), 'unschedulable') },
      'runner-delayed +60 s',
    ],
    ['unschedulable for 3 min: it may still come', starting(180, 'unschedulable'), 'runner-delayed +120 s'],
    ['unschedulable for 5 min', starting(300, 'unschedulable'), 'deregister (start-failed) unschedulable'],
    ['unschedulable for 10 s', starting(10, 'unschedulable'), '+20 s'],
    ['image not pulled for 20 s', starting(20, 'image-missing'), '+10 s'],
    ['image not pulled for 30 s', starting(30, 'image-missing'), 'deregister (start-failed) image-missing'],
    ['image name invalid', starting(1, 'image-invalid', 0), 'deregister (start-failed) image-invalid'],
    ['a ConfigMap is missing', starting(5, 'config-missing'), 'deregister (start-failed) config-missing'],
    ['an init container runs for 40 s', stepping(40, undefined), 'delayed +560 s'],
    ['an init container ran for startMax', stepping(600, undefined), 'deregister (start-failed) init-hangs'],
    ['a probe that may take 300 s, after 150 s', stepping(150, 300), 'delayed +150 s'],
    ['a probe that may take 300 s, after 300 s', stepping(300, 300), 'deregister (start-failed) init-hangs'],
    ['a step that is shown', shownStep(stepping(40, 300), 'm'), '+260 s'],
    ['a step after another one that is shown', shownStep(stepping(40, 300), 'before'), 'delayed +260 s'],
    ['a sidecar that crashes', starting(10, 'helper-crashes'), 'runner-delayed +110 s'],
    ['a volume fails for 1 min', starting(60, 'volume-failed'), 'runner-delayed +60 s'],
    ['the same, shown before', shownDelay(starting(60, 'volume-failed'), 'volume-failed'), '+60 s'],
    ['a volume fails for 2 min', starting(120, 'volume-failed'), 'deregister (start-failed) volume-failed'],
    ['no cause after 10 min', starting(600, undefined), 'deregister (start-failed) start-unexplained'],
    ['a reason without a deadline', shownDelay(starting(9_000, 'api-unavailable'), 'api-unavailable'), '+Infinity s'],
    ['idle, young', running(10), '+60 s'],
    ['not online yet, listed after 70 s', running(70, offline(70)), '+30 s'],
    ['idle, registrations were listed just now', running(70, online(70)), '+60 s'],
    [
      'idle and offline two minutes after its start',
      running(125, offline(1)),
      'deregister (start-failed) never-online',
    ],
    ['offline exactly two minutes after its start', running(125, offline(5)), 'deregister (start-failed) never-online'],
    ['offline by an answer that is too old', running(125, offline(100)), '+30 s'],
    ['no registration, once', running(200, absent(1, 1)), '+60 s'],
    [
      'case 89: no registration in two answers two minutes apart, no job',
      running(200, absent(1, 121)),
      'delete (ghost) runner-failed',
    ],
    ['the same with a job', running(200, { ...absent(1, 121), job }), 'nothing'],
    ['busy', running(9_000, { job }), 'nothing'],
    [
      'case 90: its job is reported as completed while the pod runs',
      running(50, { job: { ...job, finished: { result: 'succeeded', at: now } } }),
      '+600 s',
    ],
    ['ended', runner('a', { startedAt: now - 9_000, end: ended }, { job }), 'delete (ended)'],
    [
      'ended, its deletion under way',
      runner('a', { end: ended, deletionDeadline: now + seconds(10) }, { job }),
      '+40 s',
    ],
    ['ended while its end for another cause waited', ending(runner('a', { end: ended }), 'refused', 9), '+9 s'],
    ['its job is over for 9 min, and its container runs', afterJob(540), '+60 s'],
    ['its job is over for 10 min, and its container runs', afterJob(600), 'termination-stuck stuck'],
    ['the same, shown before', { ...afterJob(600), stuck: cause('termination-stuck', 1) }, 'nothing'],
    ['being deleted, within its grace', runner('a', { deletionDeadline: now + seconds(10) }), '+40 s'],
    ['being deleted on a node that is silent for 29 s', deletedOnSilentNode(29), '+1 s'],
    ['being deleted on a node that is silent for 30 s', deletedOnSilentNode(30), 'runner-delayed +60 s'],
    ['being deleted, 30 s after its deadline', deletedFor(30), 'explain-runner'],
    ['being deleted, and looked up only before', deletedFor(31, { explainedAt: now - seconds(2) }), 'explain-runner'],
    [
      'being deleted, and looked up since',
      deletedFor(31, { explainedAt: now - seconds(1) }),
      'termination-stuck stuck',
    ],
    [
      'being deleted, and looked up since with a cause',
      deletedFor(31, { explainedAt: now, explained: cause('finalizer-left', 31) }),
      'finalizer-left stuck',
    ],
    ['the same, shown before', deletedFor(31, { stuck: cause('finalizer-left', 31) }), 'nothing'],
    ['busy, on a node that is silent for 29 s', onSilentNode(29, { job }), '+1 s'],
    ['busy, on a node that is silent for 30 s', onSilentNode(30, { job }), 'runner-delayed'],
    ['the same, shown before', shownDelay(onSilentNode(30, { job }), 'node-lost'), 'nothing'],
    ['idle, on a node that is silent for 29 s', onSilentNode(29), '+1 s'],
    ['idle, on a node that is silent for 30 s', onSilentNode(30), 'runner-delayed'],
    [
      'idle and offline, on a node whose silence is shown',
      shownDelay(onSilentNode(130, offline(5)), 'node-lost'),
      'deregister (start-failed) never-online',
    ],
    ['its end is refused for now', ending(running(90), 'refused', 9), '+9 s'],
    ['its end was refused, and is due', ending(running(90), 'refused', 0), 'deregister (surplus)'],
    ['its registration is removed', ending(running(90), 'removed', undefined), 'delete (surplus)'],
    [
      'the forge does not know it, and registrations were listed just now',
      ending(running(90), 'absent', undefined),
      '+60 s',
    ],
    [
      'the forge does not know it, and two lists prove that',
      ending(running(200, absent(1, 121)), 'absent', 30),
      'delete (ghost)',
    ],
    [
      'two lists prove that the forge does not know it, and its deletion failed',
      ending(running(200, absent(1, 121)), 'absent', 30, 'ghost'),
      '+30 s',
    ],
    [
      'the forge does not know it, and it has not started',
      ending(starting(5, undefined), 'absent', undefined),
      'delete (surplus)',
    ],
  ])('%s', (_name, given, expected) => {
    expect(shown(stepFor(given))).toBe(expected)
  })

  const gitea = runnerSet({ source: { ...runnerSet().source, kind: 'gitea', runnerGroup: undefined } })
  const cordoned: Partial<Runner> = {
    registration: { is: 'present', value: registration('a', { isCordoned: true }), at: now },
  }
  it.each<[string, Runner, string]>([
    ['is ended, and shown as stuck', afterJob(600), 'deregister (spent) termination-stuck'],
    ['is shown only when it is asked to end', { ...ending(afterJob(600), 'refused', 9) }, '+9 s'],
    ['may end by itself before that, also if it is cordoned', { ...afterJob(540), ...cordoned }, '+60 s'],
  ])('a runner of Gitea whose job is over %s', (_, given, expected) => {
    expect(shown(stepFor(given, gitea))).toBe(expected)
  })

  it('says how long the step of a start took, and not how long another cause has lasted', () => {
    const message = (given: Runner) => {
      const [event] = stepFor(given).events ?? []
      return event?.kind === 'runner-failed' ? event.failure.message : undefined
    }
    expect(message(stepping(600, undefined))).toBe('m for 600 s')
    expect(message(starting(30, 'image-missing'))).toBe('m')
  })

  it('looks soon for a runner that is not online, if registrations were never listed', () => {
    const given = running(1, offline(1))
    const over = { registrationsAt: undefined }
    expect(shown(decideLife({ world: world([given], over), limits, now }, given))).toBe('+9 s')
  })

  it('asks for a list of registrations a minute after the last one', () => {
    const given = ending(running(90), 'absent', undefined)
    const at = (registrationsAt: number | undefined) =>
      shown(decideLife({ world: world([given], { registrationsAt }), limits, now }, given))
    expect(at(now - seconds(60))).toBe('list +60 s')
    expect(at(now - seconds(59))).toBe('+1 s')
    expect(at(undefined)).toBe('list +60 s')
  })

  it('asks sooner after a failed start, until the failure no longer counts', () => {
    const given = running(90)
    const at = (failedAt: number) => {
      const history = { ...noHistory, failuresInARow: 1, failedAt }
      const over = { registrationsAt: now - limits.listSoonMs, history }
      return shown(decideLife({ world: world([given], over), limits, now }, given))
    }
    expect(at(now)).toBe('list +10 s')
    expect(at(now - limits.failureMemoryMs - 1)).toBe('+50 s')
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

  it.each([
    ['until its time is over', ended.at - now, seconds(1), 'delete (ended)'],
    ['not at all without a time, even if its node’s clock is ahead', seconds(5), 0, 'delete (ended)'],
    ['from its end on', -seconds(5), seconds(60), '+55 s'],
  ])('keeps what finished %s', (_name, endedIn, keepFinishedMs, expected) => {
    const finished = runner('a', { end: { ...ended, at: now + endedIn } }, { job })
    expect(shown(stepFor(finished, runnerSet({ keepFinishedMs })))).toBe(expected)
  })

  it.each([
    ['until its last status is due', { ...ended, exitCode: 143 }, '+4 s'],
    ['no longer than that', { ...ended, exitCode: 143, at: now - limits.lateStatusMs }, 'delete (ended)'],
    ['not at all if the clock of its node is ahead', { ...ended, exitCode: 143, at: now + 1 }, 'delete (ended)'],
  ])('keeps a pod that may still name a disruption %s', (_name, end, expected) => {
    expect(shown(stepFor(runner('a', { end, finished: false }, { job })))).toBe(expected)
  })

  it.each([
    [limits.keptMax, '+599 s'],
    [limits.keptMax + 1, 'delete (ended)'],
  ])('keeps no more than a bounded number: with %i ended runners, %s', (length, expected) => {
    const set = runnerSet({ keepFailedMs: seconds(600) })
    const failed = runner('a', { end: { ...ended, exitCode: 1, reason: 'Error' } })
    const crowd = Array.from({ length }, (_, index) => ({ ...failed, name: `r${index}` }))
    expect(shown(decideLife({ world: world(crowd, { set }), limits, now }, failed))).toBe(expected)
  })

  const exceeded = { because: { kind: 'life-exceeded' }, answer: 'refused', failures: 1 } as const
  const overdue = (facts: Partial<PodFacts>) => runner('a', { createdAt: now - seconds(9_000), ...facts }, { job })
  const unanswered = (kind: 'surplus' | 'outdated') =>
    running(3_700, { ending: { because: { kind }, answer: 'refused', failures: 1, retryAt: now + 9_000 } })
  const forgotten = running(3_700, { registration: { is: 'unknown', since: now } })
  it.each<[string, Runner, string]>([
    ['busy, over the bound', running(3_700, { job }), 'deregister (life-exceeded) life-exceeded'],
    ['busy, at the bound', running(3_599, { job }), 'deregister (life-exceeded) life-exceeded'],
    ['busy, within the bound', running(3_000, { job }), '+599 s'],
    ['idle, near the bound', running(3_579), '+20 s'],
    ['idle, far from the bound', running(70), '+60 s'],
    [
      'over the bound, its end repeated later',
      running(3_700, { ending: { ...exceeded, retryAt: now + 9_000 } }),
      '+9 s',
    ],
    ['idle, at the bound', running(3_599), 'deregister (outdated)'],
    ['idle at the bound, and the forge has not responded yet', unanswered('outdated'), '+9 s'],
    ['idle at the bound, and not needed', unanswered('surplus'), '+9 s'],
    ['idle at the bound, as far as is known after a restart', forgotten, '+60 s'],
    ['over the bound, ended', overdue({ end: ended }), 'delete (ended)'],
    ['over the bound, being deleted', overdue({ deletionDeadline: now }), '+30 s'],
  ])('ends a life that exceeds the set’s bound: %s', (_name, given, expected) => {
    expect(shown(stepFor(given, runnerSet({ lifeMaxMs: seconds(3_600) })))).toBe(expected)
  })
})

describe('the phase of a runner', () => {
  const end = { because: { kind: 'surplus' }, answer: 'unasked', failures: 0, retryAt: undefined } as const
  const phase = (facts: Partial<PodFacts>, over: Partial<Runner> = {}) => phaseOf(runner('a', facts, over))
  it.each([
    ['starting', phase({})],
    ['starting', phase({}, { pod: { is: 'requested', since: now } })],
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
    ['spent', phase({ startedAt: now }, { ending: end })],
    ['spent', phase({ startedAt: now }, { ending: end, job })],
    ['ended', phase({ startedAt: now, end: ended }, { ending: end })],
    [
      'spent',
      phase(
        { startedAt: now },
        {
          job: { ...job, finished: { result: 'failed', at: now } },
          registration: { is: 'present', value: registration('a', { busy: true }), at: now },
        },
      ),
    ],
  ])('%s', (expected, actual) => {
    expect(actual).toBe(expected)
  })
})
