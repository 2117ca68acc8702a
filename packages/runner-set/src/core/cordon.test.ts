// A forge that does not end its runners after one job: the core cordons a busy runner, and ends it when it is spent.
import { describe, expect, it } from 'vitest'
import type { Runner } from '../model/runner.ts'
import { decideLife } from './life.ts'
import { phaseOf } from './phase.ts'
import { statusOf } from './report.ts'
import { a, job, open, refused, seconds, unreachable } from './state/state.fixture.ts'
import { job as knownJob, limits, now, podFacts, registration, runner, runnerSet, world } from './world.fixture.ts'

const bitbucket = runnerSet({ source: { ...runnerSet().source, kind: 'bitbucket', runnerGroup: undefined } })
const gitea = runnerSet({ source: { ...runnerSet().source, kind: 'gitea', runnerGroup: undefined } })
const running = podFacts({ startedAt: now - seconds(60) })
const finished = { ...knownJob, finished: { result: 'unknown', at: now } }
const cordoned = { is: 'present', value: registration('a', { isCordoned: true, busy: false }), at: now } as const
const busyAtForge = { is: 'present', value: registration('a', { busy: true }), at: now } as const
const cordonedAndBusy = { is: 'present', value: registration('a', { isCordoned: true, busy: true }), at: now } as const
const spentEnding = (retryAt: number | undefined) =>
  ({ because: { kind: 'spent' }, answer: 'busy', failures: 1, retryAt }) as const

function stepFor(over: Partial<Runner>, set = bitbucket) {
  const given = runner('a', running, over)
  const { action, due } = decideLife({ world: world([given], { set }), limits, now }, given)
  const what = action && `${action.kind}${'because' in action ? ` (${action.because.kind})` : ''}`
  return what ?? (due === undefined ? 'nothing' : `+${(due - now) / 1_000} s`)
}

describe('one life at a forge that needs cordons', () => {
  it.each<[string, Partial<Runner>, string]>([
    ['busy by an event', { job: knownJob }, 'cordon-runner'],
    ['busy by the list', { registration: busyAtForge }, 'cordon-runner'],
    ['busy and cordoned', { registration: cordonedAndBusy }, 'nothing'],
    ['busy, its cordon failed', { job: knownJob, cordonRetry: { failures: 1, retryAt: now + 4_000 } }, '+4 s'],
    ['busy, its cordon is due again', { job: knownJob, cordonRetry: { failures: 1, retryAt: now } }, 'cordon-runner'],
    ['busy without a known registration', { job: knownJob, registration: { is: 'unknown', since: 0 } }, 'nothing'],
    ['its job is over', { job: finished }, 'deregister-runner (spent)'],
    ['cordoned by another client', { registration: cordoned }, 'deregister-runner (spent)'],
    ['its job is over, and it may run the next one', { job: finished, ending: spentEnding(now + 9_000) }, '+9 s'],
    ['the same, due again', { job: finished, ending: spentEnding(now) }, 'deregister-runner (spent)'],
    [
      'its registration is removed',
      { job: finished, ending: { ...spentEnding(undefined), answer: 'removed' } },
      'delete-runner (spent)',
    ],
  ])('%s: %s', (_, given, expected) => {
    expect(stepFor(given)).toBe(expected)
  })

  it.each([
    ['Bitbucket', bitbucket],
    ['Gitea', gitea],
  ])('asks %s for the registrations while its set is paused, because no event shows the end of its job', (_, set) => {
    const paused = { ...set, paused: true }
    const given = runner('a', running, { registration: cordonedAndBusy })
    const moment = (age: number) => ({
      world: world([given], { set: paused, registrationsAt: now - age }),
      limits,
      now,
    })
    expect(decideLife(moment(seconds(9)), given)).toEqual({ due: now + seconds(1) })
    expect(decideLife(moment(seconds(10)), given)).toMatchObject({ asksRegistrations: true, due: now + seconds(10) })
  })

  it('cordons a busy runner of a paused set, too', () => {
    expect(stepFor({ job: knownJob }, { ...bitbucket, paused: true })).toBe('cordon-runner')
  })

  it('never cordons or ends a runner of a forge that ends its runners by itself', () => {
    const github = runnerSet()
    expect(stepFor({ job: knownJob }, github)).toBe('nothing')
    expect(stepFor({ job: finished }, github)).toBe('+600 s')
  })

  const lingering = { job: { ...knownJob, finished: { result: 'failure', at: now - limits.lingerMs } } }
  const missing = { is: 'absent', at: now } as const
  const unregistered = { ...lingering, registration: missing, registrationMissingSince: now - limits.ghostMs }
  const stuck = { reason: 'termination-stuck', message: '', since: now } as const
  it.each<[string, Partial<Runner>, string]>([
    ['cordoned, and its removal was not carried out', { registration: cordoned }, 'deregister-runner (spent)'],
    ['its job is over', { job: finished }, '+600 s'],
    ['its container runs on, and its registration is still listed', lingering, 'deregister-runner (spent)'],
    ['its container runs on, and two lists lack its registration', unregistered, 'delete-runner (ghost)'],
    ['the same, shown as stuck before', { ...unregistered, stuck }, 'delete-runner (ghost)'],
    ['only one list lacks its registration', { ...unregistered, registrationMissingSince: now, stuck }, '+60 s'],
  ])('ends a runner that takes one job and never exits: %s: %s', (_, given, expected) => {
    expect(stepFor(given, gitea)).toBe(expected)
  })

  it('never ends a runner that may have more to do after its job', () => {
    expect(stepFor({ ...unregistered, stuck }, runnerSet())).toBe('nothing')
  })

  it('counts a cordoned runner without a job as no capacity', () => {
    expect(phaseOf(runner('a', running, { registration: cordoned }))).toBe('spent')
    expect(phaseOf(runner('a', running, { registration: cordonedAndBusy }))).toBe('busy')
  })
})

describe('the status of a set whose forge is polled', () => {
  it.each([
    [10_000, 10],
    [10_001, 20],
    [87_000, 90],
  ])('shows a poll every %i ms as %i s', (pollMs, shown) => {
    const given = world([], { set: bitbucket, allowance: { now: 1, nextAt: undefined, pollMs } })
    const { conditions, pollSeconds } = statusOf({ world: given, limits, now })
    const condition = conditions.find(({ type }) => type === 'ForgeConnected')
    expect(condition?.message).toBe(`The forge reports its demand. Dayfly asks it every ${shown} s.`)
    expect(pollSeconds).toBe(shown)
  })

  it.each([
    ['is paused', { set: { ...bitbucket, paused: true } }],
    ['waits for its first demand', { demand: { known: false, since: now, why: 'x' } }],
    ['cannot reach the forge', { forgeFailure: { reason: 'forge-unreachable', message: 'x', since: now } }],
    ['has a forge that reports by itself', { allowance: { now: 1, nextAt: undefined } }],
  ] as const)('shows no poll while the set %s', (_, more) => {
    const polled = { set: bitbucket, allowance: { now: 1, nextAt: undefined, pollMs: 10_000 } }
    expect(statusOf({ world: world([], { ...polled, ...more }), limits, now }).pollSeconds).toBeNull()
  })
})

describe('the state of a runner that is cordoned', () => {
  const started = (id: string) =>
    ({ kind: 'job-started', runner: a, job: { ...job, id }, at: now, queuedAt: undefined }) as const
  const over = (id: string) => ({ kind: 'job-finished', runner: a, jobId: id, result: 'unknown', at: now }) as const
  const opened = () => {
    const set = open(bitbucket)
    set.list({ [a]: running })
    return set
  }
  const cordon = (set: ReturnType<typeof open>, result: Parameters<typeof set.outcome>[0]['result']) =>
    set.outcome({ action: 'cordon-runner', runner: a, result } as Parameters<typeof set.outcome>[0])

  it('is cordoned once', () => {
    const set = opened()
    set.event(started('1'))
    expect(set.tick().actions).toContainEqual(expect.objectContaining({ kind: 'cordon-runner', runner: a }))
    expect(cordon(set, { is: 'cordoned' })).toMatchObject([{ kind: 'runner-cordoned', runner: a }])
    expect(set.tick().actions.filter(({ kind }) => kind === 'cordon-runner')).toEqual([])
  })

  it('is cordoned again after a refusal, with a growing wait', () => {
    const set = opened()
    set.event(started('1'))
    set.tick()
    expect(cordon(set, refused(unreachable))).toMatchObject([{ kind: 'cordon-failed', failure: unreachable }])
    const first = set.runner()?.cordonRetry
    expect(first?.failures).toBe(1)
    cordon(set, refused(unreachable, now + seconds(90)))
    expect(set.runner()?.cordonRetry).toMatchObject({ failures: 2, retryAt: now + seconds(90) })
    cordon(set, { is: 'aborted' })
    expect(set.runner()?.cordonRetry?.failures).toBe(2)
  })

  it('counts and shows a job that starts after another one', () => {
    const set = opened()
    set.event(started('1'))
    set.event(over('1'))
    expect(set.phase()).toBe('spent')
    const events = set.event(started('2'))
    expect(events).toMatchObject([{ kind: 'job-late', job: '2' }, { kind: 'job-started' }])
    expect(set.phase()).toBe('busy')
    set.event(started('2'))
    expect(set.world().lateJobs).toBe(1)
    set.event(over('2'))
    expect(set.phase()).toBe('spent')
    expect(set.state.jobs.map(({ id, result }) => [id, result])).toEqual([
      ['2', 'unknown'],
      ['1', 'unknown'],
    ])
  })

  it('is looked at again when its set is paused, so that the end of its job is seen', () => {
    const set = opened()
    set.event(started('1'))
    set.tick()
    cordon(set, { is: 'cordoned' })
    set.tick()
    set.take({ kind: 'set-changed', set: { ...bitbucket, paused: true } })
    set.take({ kind: 'forge-paused' })
    const lists = (at: number) => set.tick(at).actions.filter(({ kind }) => kind === 'list-registrations')
    set.listed([registration(a, { busy: true, isCordoned: true })], now + seconds(1))
    lists(now + seconds(1))
    expect(lists(now + seconds(11))).toHaveLength(1)
    set.listed([registration(a, { busy: false, isCordoned: true })], now + seconds(12))
    expect(set.phase()).toBe('spent')
  })

  it('counts a job once that the log of the runner and the list of the forge show', () => {
    const set = opened()
    set.event(started('1'))
    expect(set.event(started('1'))).toEqual([])
    expect(set.event({ ...over('1'), result: 'succeeded' })).toMatchObject([{ kind: 'job-finished' }])
    expect(set.event(started('1'))).toEqual([])
    expect(set.event(over('1'))).toEqual([])
    expect(set.state.jobs).toMatchObject([{ id: '1', result: 'succeeded' }])
    expect(set.world().lateJobs).toBe(0)
  })

  it('keeps waiting while the forge reports one more job, and never ends that job', () => {
    const set = opened()
    set.event(started('1'))
    set.event(over('1'))
    set.end({ kind: 'spent' })
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'busy' } })
    expect(set.runner()?.ending).toMatchObject({ because: { kind: 'spent' }, answer: 'busy', failures: 1 })
    set.end({ kind: 'spent' })
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'busy' } })
    expect(set.runner()?.ending?.failures).toBe(2)
    set.event(started('2'))
    expect(set.runner()?.ending).toBeUndefined()
    expect(set.phase()).toBe('busy')
  })

  it('leaves a registration behind that must be removed, also after a finished job', () => {
    const set = opened()
    set.listed([registration(a, { busy: true })])
    set.event(started('1'))
    set.event(over('1'))
    set.seen({ startedAt: now - seconds(60), end: { exitCode: 0, reason: 'Completed', at: now } })
    expect(set.pending()).toEqual([{ name: a, in: 0, early: false }])
    set.event(over('1'))
    expect(set.pending()).toHaveLength(1)
  })

  it('ends a job that a later list no longer shows, because no link saw its end', () => {
    const set = opened()
    const listed = (busy: boolean, at: number) =>
      set.event({ kind: 'registrations', registrations: [registration(a, { busy })], at }, at)
    set.event(started('1'))
    listed(true, now + seconds(10))
    expect(set.phase()).toBe('busy')
    listed(false, now)
    expect(set.phase()).toBe('busy')
    expect(listed(false, now + seconds(20))).toMatchObject([{ kind: 'job-finished', job: '1', result: 'unknown' }])
    expect(set.phase()).toBe('spent')
    expect(set.state.jobs.map(({ result }) => result)).toEqual(['unknown'])
  })

  it('does not wait for the job of a gone runner that the list no longer shows', () => {
    const set = opened()
    set.event(started('1'))
    set.gone()
    expect(set.world().departed).toHaveLength(1)
    set.event(
      { kind: 'registrations', registrations: [registration(a, { busy: false })], at: now + seconds(6) },
      now + seconds(6),
    )
    expect(set.world(now + seconds(6)).departed).toEqual([])
  })

  const listedIdle = (set: ReturnType<typeof open>, at: number, busy = false) =>
    set.event({ kind: 'registrations', registrations: [registration(a, { busy })], at }, at)

  it('may have a job that a list of the same seconds does not show yet', () => {
    const set = opened()
    set.event(started('1'))
    listedIdle(set, now + limits.lateEventMs)
    expect(set.phase()).toBe('busy')
    listedIdle(set, now + limits.lateEventMs + 1)
    expect(set.phase()).toBe('spent')
  })

  it.each([
    ['not at once', limits.lateEventMs, false, 1],
    ['after some seconds', limits.lateEventMs + 1, false, 0],
    ['never while the list shows its job', limits.lateEventMs + 1, true, 1],
  ])('is forgotten by a list after it is gone: %s', (_, later, busy, left) => {
    const set = opened()
    set.event(started('1'))
    set.gone()
    listedIdle(set, now + later, busy)
    expect(set.world(now + later).departed).toHaveLength(left)
  })

  it('leaves its registration behind also if its job is over after its pod', () => {
    const set = opened()
    set.listed([registration(a, { busy: true })])
    set.event(started('1'))
    set.gone()
    set.event(over('1'))
    expect(set.pending()).toMatchObject([{ name: a }])
  })

  it('keeps its cordon when a list that was requested before comes later', () => {
    const set = opened()
    set.listed([registration(a, { busy: true, isCordoned: false })])
    set.event(started('1'))
    set.tick()
    set.outcome({ action: 'cordon-runner', runner: a, result: { is: 'cordoned' } }, now + seconds(2))
    set.listed([registration(a, { busy: true, isCordoned: false })], now + seconds(1), now + seconds(3))
    expect(set.tick(now + seconds(3)).actions.filter(({ kind }) => kind === 'cordon-runner')).toEqual([])
    set.listed([registration(a, { busy: true, isCordoned: false })], now + seconds(4))
    expect(set.tick(now + seconds(4)).actions).toContainEqual(expect.objectContaining({ kind: 'cordon-runner' }))
  })

  it('is not cordoned again by a new leader that reads the cordon in its first list', () => {
    const set = opened()
    set.event(started('1'))
    set.event({ kind: 'registrations', registrations: [registration(a, { busy: true, isCordoned: true })], at: now })
    expect(set.tick().actions.filter(({ kind }) => kind === 'cordon-runner')).toEqual([])
  })

  it('ends when its registration is removed, also if the report of a job called the end off', () => {
    const set = opened()
    set.listed([registration(a)])
    set.end({ kind: 'surplus' })
    set.event(started('1'))
    expect(set.phase()).toBe('busy')
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'removed' } })
    expect(set.tick().actions).toContainEqual(expect.objectContaining({ kind: 'delete-runner', runner: a }))
  })

  it('ends as a ghost when the response to its removal was lost and two lists lack its registration', () => {
    const set = opened()
    set.listed([registration(a)])
    set.event(started('1'))
    set.event(over('1'))
    set.end({ kind: 'spent' })
    set.outcome({ action: 'deregister-runner', runner: a, result: refused(unreachable) })
    set.listed([registration('b')], now + seconds(10))
    set.listed([registration('b')], now + seconds(140))
    const ghost = expect.objectContaining({ kind: 'delete-runner', because: { kind: 'ghost' } })
    expect(set.tick(now + seconds(140)).actions).toContainEqual(ghost)
  })

  it('ends as a ghost when two lists lack the registration of a spent runner', () => {
    const set = opened()
    set.listed([registration(a)])
    set.event(started('1'))
    set.event(over('1'))
    set.listed([registration('b')], now + seconds(10))
    set.listed([registration('b')], now + seconds(140))
    const ghost = expect.objectContaining({ kind: 'delete-runner', because: { kind: 'ghost' } })
    expect(set.tick(now + seconds(140)).actions).toContainEqual(ghost)
  })

  it('counts a late job of a runner whose first job only an earlier leader saw', () => {
    const before = opened()
    before.event(started('1'))
    const set = open(bitbucket, { jobs: before.state.jobs, lateJobs: 0 })
    set.list({ [a]: running })
    set.event(started('1'))
    expect(set.world().lateJobs).toBe(0)
    const next = open(bitbucket, { jobs: before.state.jobs, lateJobs: 0 })
    next.list({ [a]: running })
    expect(next.event(started('2'))).toMatchObject([{ kind: 'job-late', job: '2' }, { kind: 'job-started' }])
    expect(next.world().lateJobs).toBe(1)
  })

  it('counts no late job again that an earlier leader counted', () => {
    const before = opened()
    before.event(started('1'))
    before.event(started('2'))
    const set = open(bitbucket, { jobs: before.state.jobs, lateJobs: 1 })
    set.list({ [a]: running })
    expect(set.event(started('2'))).toMatchObject([{ kind: 'job-started' }])
    expect(set.world().lateJobs).toBe(1)
  })
})
