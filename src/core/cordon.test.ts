// A forge that does not end its runners after one job: the core cordons a busy runner, and ends it when it is spent.
import { describe, expect, it } from 'vitest'
import type { Runner } from '../model/runner.ts'
import { decideLife } from './life.ts'
import { phaseOf } from './phase.ts'
import { a, job, open, refused, seconds, unreachable } from './state/state.fixture.ts'
import { job as knownJob, limits, now, podFacts, registration, runner, runnerSet, world } from './world.fixture.ts'

const bitbucket = runnerSet({ source: { ...runnerSet().source, kind: 'bitbucket', runnerGroup: undefined } })
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

  it('never cordons or ends a runner of a forge that ends its runners by itself', () => {
    const github = runnerSet()
    expect(stepFor({ job: knownJob }, github)).toBe('nothing')
    expect(stepFor({ job: finished }, github)).toBe('+600 s')
  })

  it('counts a cordoned runner without a job as no capacity', () => {
    expect(phaseOf(runner('a', running, { registration: cordoned }))).toBe('spent')
    expect(phaseOf(runner('a', running, { registration: cordonedAndBusy }))).toBe('busy')
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
})
