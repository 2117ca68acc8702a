import { describe, expect, it, vi } from 'vitest'
import type { Failure } from '../../model/failure.ts'
import type { Registration } from '../../model/runner.ts'
import { runnerPrefix } from '../../model/runner-names.ts'
import type { RunnerVersion } from '../../model/runner-version.ts'
import { ended, limits, now, podFacts, registration, runnerSet } from '../world.fixture.ts'
import { a, job, open, refused, seconds, unreachable } from './state.fixture.ts'

const running = podFacts({ startedAt: now - seconds(60) })
const demand = (jobs: number, at = now) => ({ kind: 'demand', demand: { kind: 'assigned', jobs }, at }) as const
const jobStarted = { kind: 'job-started', runner: a, job, at: now, queuedAt: now - seconds(3) } as const
const jobFinished = { kind: 'job-finished', runner: a, jobId: 'j', result: 'succeeded', at: now } as const
const online = registration(a, { status: 'online', busy: false })
const failure: Failure = { reason: 'image-missing', message: 'x' }

function withRunner(pod = running) {
  const set = open()
  set.list({ [a]: pod })
  return set
}

/** A set with one failed start behind it. */
function withFailure() {
  const set = withRunner()
  set.end({ kind: 'start-failed', failure })
  return set
}

it.each<[string, number | undefined, number | undefined, object]>([
  ['above the objective', 3_001, 3_000, { queuedMs: 3_001, objective: 'missed' }],
  ['within the objective', 3_000, 3_000, { queuedMs: 3_000, objective: 'kept' }],
])('a job waited for a time %s', (_, queuedFor, queueTimeMs, expected) => {
  const set = open(runnerSet({ queueTimeMs }))
  const events = set.event({ ...jobStarted, queuedAt: queuedFor === undefined ? undefined : now - queuedFor })
  expect(events).toContainEqual(expect.objectContaining(expected))
})

it('judges no time that the forge does not say, and none without an objective', () => {
  const started = [
    open(runnerSet({ queueTimeMs: 3_000 })).event({ ...jobStarted, queuedAt: undefined }),
    open().event(jobStarted),
  ].flat()
  const judged = started.filter(({ kind }) => kind === 'job-started').map((event) => 'objective' in event)
  expect(judged).toEqual([false, false])
})

describe('demand', () => {
  it('is reported when it changes, and moves the quiet period', () => {
    const set = open()
    expect(set.event(demand(3), now)).toMatchObject([{ kind: 'demand-changed', demand: { jobs: 3 } }])
    expect(set.event(demand(3), now + 9)).toEqual([])
    expect(set.world()).toMatchObject({ quietSince: now, demand: { value: { jobs: 3 } } })
    set.event(demand(4, now + 20), now + 20)
    expect(set.world().quietSince).toBe(now + 20)
  })

  it('is unknown while the forge fails, and known again with the next demand', () => {
    const set = open()
    set.event(demand(3))
    const [event] = set.event({ kind: 'failing', failure: unreachable, since: now - 5 })
    expect(event).toMatchObject({ kind: 'forge-failed', failure: unreachable })
    expect(set.world()).toMatchObject({ demand: { known: false, since: now - 5 }, forgeFailure: { since: now - 5 } })
    expect(set.event(demand(3))[0]).toMatchObject({ kind: 'forge-connected' })
    expect(set.world()).toMatchObject({ demand: { known: true }, forgeFailure: undefined })
  })

  it('keeps the end of a version that the forge does not repeat, and not that of another version', () => {
    const schedule = { runtimeEndsAt: now, registrationEndsAt: undefined }
    const known = { version: '2.330.0', from: 'image', schedule, minimum: undefined } as const
    const set = open()
    const report = (version: RunnerVersion | undefined) => {
      set.event({ kind: 'runner-version', version })
      return set.world().runnerVersion
    }
    expect(report(known)).toEqual(known)
    set.event({ kind: 'failing', failure: unreachable, since: now })
    expect(report({ ...known, from: 'runner', schedule: undefined })).toEqual({ ...known, from: 'runner' })
    const other = { ...known, version: '2.331.0', schedule: undefined }
    expect([report(other), report(undefined)]).toEqual([other, undefined])
  })

  it('carries the jobs that no set can have, and decides nothing by them', () => {
    const unserved = { count: 1, jobs: [{ id: '1', name: 'b', repository: 'r', labels: ['arm64'] }] }
    const set = open()
    set.event(demand(3))
    const { unserved: _before, ...before } = set.world()
    expect(set.event({ ...demand(3), unserved })).toEqual([])
    const { unserved: shown, ...after } = set.world()
    expect([shown, after]).toEqual([unserved, before])
    // The same jobs in another poll are the same value, so that the status is not written again.
    set.event({ ...demand(3), unserved: structuredClone(unserved) })
    expect(set.world().unserved).toBe(shown)
    set.event({ kind: 'failing', failure: unreachable, since: now })
    expect(set.world().unserved).toBeUndefined()
    set.event({ ...demand(3), unserved })
    set.event(demand(3))
    expect(set.world().unserved).toBeUndefined()
  })

  it('shows settings that the forge does not take over', () => {
    const set = open()
    const differ: Failure = { reason: 'forge-settings-differ', message: 'runner group' }
    expect(set.event({ kind: 'settings', failure: differ })).toMatchObject([{ kind: 'forge-failed', failure: differ }])
    expect(set.world().settingsFailure).toEqual(differ)
    expect(set.event({ kind: 'settings', failure: undefined })).toEqual([])
    expect(set.world().settingsFailure).toBeUndefined()
  })

  it('keeps the ids that the forge wants stored', () => {
    const set = open()
    set.event({ kind: 'state', state: { scaleSetId: '7' } })
    expect(set.state.forge.state).toEqual({ scaleSetId: '7' })
  })
})

describe('jobs', () => {
  it('make a runner busy, and spent when they are over', () => {
    const set = withRunner()
    expect(set.event(jobStarted)).toMatchObject([{ kind: 'job-started', job: { id: 'j' }, queuedMs: seconds(3) }])
    expect(set.phase()).toBe('busy')
    expect(set.event(jobFinished)).toMatchObject([{ kind: 'job-finished', result: 'succeeded' }])
    expect(set.phase()).toBe('spent')
  })

  it('are remembered for the status, with their runner and result', () => {
    const set = withRunner()
    set.event(jobStarted)
    expect(set.state.jobs).toMatchObject([{ id: 'j', runner: a, result: null }])
    set.event(jobFinished)
    expect(set.state.jobs).toMatchObject([{ id: 'j', runner: a, result: 'succeeded' }])
  })

  it('are taken once: a repeated event changes nothing', () => {
    const set = withRunner()
    set.event(jobStarted)
    set.event({ ...jobStarted, job: { ...job, id: 'other' } })
    expect(set.runner()?.job?.id).toBe('j')
    set.event(jobFinished, now + 5)
    set.event(jobFinished, now + 9)
    expect(set.runner()?.job?.finished?.at).toBe(now + 5)
  })

  it('are known also if only their end is reported', () => {
    const set = withRunner()
    set.event(jobFinished)
    expect(set.runner()?.job).toMatchObject({ id: 'j', finished: { result: 'succeeded' } })
  })

  it('end a row of failures', () => {
    const set = withFailure()
    expect(set.state.history.failuresInARow).toBe(1)
    set.event(jobStarted)
    expect(set.state.history).toMatchObject({ failuresInARow: 0, rounds: 0, retryAt: undefined })
  })

  const crashed = { ...running, end: { ...ended, exitCode: 137, reason: 'Error' } }

  it('stay counted after the crash of their runner until they are reported as finished', () => {
    const set = withRunner()
    set.event(jobStarted)
    set.seen(crashed)
    expect(set.world().departed).toMatchObject([{ name: a, jobOpen: true }])
    set.event(jobFinished)
    expect(set.world().departed).toEqual([])
  })

  it('are over after the good end of their runner, whether their start is reported before it or after it', () => {
    const [before, after] = [withRunner(), withRunner()]
    before.event(jobStarted)
    before.seen({ ...running, end: ended })
    after.seen({ ...running, end: { ...ended, at: now } })
    after.event(jobStarted)
    for (const set of [before, after]) expect(set.world().departed).toMatchObject([{ jobOpen: false }])
  })

  it('leave no departed runner when they finished before the end', () => {
    const set = withRunner()
    set.event(jobStarted)
    set.event(jobFinished)
    set.seen({ ...running, end: ended })
    expect(set.world().departed).toEqual([])
    expect(set.pending()).toEqual([])
  })
})

describe('surplus runners', () => {
  const names = Array.from({ length: 12 }, (_, index) => `r${10 + index}`)
  const idle = () => {
    const set = open(runnerSet({ scale: { min: 0, max: 20 } }))
    set.list(Object.fromEntries(names.map((name) => [name, running])))
    return set
  }

  it.each<[string, number, number, number]>([
    ['none before the quiet period is over', 0, limits.quietMs - 1, 0],
    ['no more than one tick ends', 0, limits.quietMs, limits.surplusPerTick],
    ['no more than the demand leaves', 11, limits.quietMs, 1],
    ['none if all are needed', 12, limits.quietMs, 0],
    ['none if more are needed', 15, limits.quietMs, 0],
  ])('are chosen for the tick: %s', (_name, jobs, later, expected) => {
    const set = idle()
    set.event(demand(jobs))
    expect(set.world(now + later).surplus).toHaveLength(expected)
  })

  it('are chosen at once if the set is paused', () => {
    const set = idle()
    set.event(demand(names.length))
    set.take({ kind: 'set-changed', set: runnerSet({ paused: true }) })
    expect(set.world().surplus).toHaveLength(limits.surplusPerTick)
  })

  it('are not looked for while none can be too many', () => {
    const set = idle()
    set.event(demand(names.length))
    const looked = vi.spyOn(set.state.table, 'oldestWaiting')
    set.world(now + limits.quietMs)
    expect(looked).not.toHaveBeenCalled()
  })
})

describe('departed runners', () => {
  const departed = () => withRunner({ ...running, end: { ...ended, at: now } })

  it('count until a newer demand, when their registration is settled', () => {
    const set = departed()
    set.event(jobFinishedFor('other'))
    set.event(demand(1, now))
    expect(set.world().departed).toHaveLength(1)
    set.event(demand(1, now + limits.lateEventMs + 1))
    expect(set.world().departed).toHaveLength(1)
    set.listed([], now + seconds(6))
    expect(set.world().departed).toEqual([])
  })

  it('count no longer than the lease of a job', () => {
    const set = departed()
    expect(set.world(now + limits.jobLeaseMs - 1).departed).toHaveLength(1)
    expect(set.world(now + limits.jobLeaseMs).departed).toEqual([])
  })
})

function jobFinishedFor(runner: string) {
  return { ...jobFinished, runner }
}

describe('a list of registrations', () => {
  it('removes what has no pod, and leaves the runners of others alone', () => {
    const set = open()
    set.list()
    const lost = registration(`${runnerPrefix(runnerSet())}lost`)
    set.listed([lost, registration('another-runner')])
    expect(set.pending()).toEqual([{ name: lost.name, in: limits.lateEventMs, early: false }])
  })

  it('says nothing before the first complete list of pods', () => {
    const set = open()
    set.listed([registration(a)])
    expect(set.pending()).toEqual([])
    expect(set.world().registrationsAt).toBeUndefined()
    set.list({ [a]: running })
    set.listed([registration(a)])
    expect(set.pending()).toEqual([])
  })

  it('says nothing while the watch of pods is down', () => {
    const set = open()
    set.list()
    set.take({ kind: 'pods-stale', since: now, why: 'down' })
    set.listed([registration(a)])
    expect(set.pending()).toEqual([])
  })

  it('gives up the removal of a registration whose pod appears', () => {
    const set = open()
    set.list()
    set.listed([registration(a)])
    set.seen()
    expect(set.pending()).toEqual([])
  })

  it('is doubted once when it is empty after one that was not', () => {
    const set = withRunner()
    set.listed([online], now)
    set.listed([], now + 1)
    expect(set.runner()?.registration.is).toBe('present')
    expect(set.world().registrationsDoubtful).toBe(true)
    set.listed([], now + 2)
    expect(set.runner()?.registration).toEqual({ is: 'absent', at: now + 2 })
    expect(set.world().registrationsDoubtful).toBe(false)
  })

  it('dates the first list without a registration', () => {
    const set = withRunner()
    const other = registration('other')
    set.listed([online, other], now)
    set.listed([other], now + 5)
    set.listed([other], now + 9)
    expect(set.runner()).toMatchObject({
      registration: { is: 'absent', at: now + 9 },
      registrationMissingSince: now + 5,
    })
    set.listed([online, other], now + 12)
    expect(set.runner()).toMatchObject({ registration: { is: 'present' }, registrationMissingSince: undefined })
  })

  it('compares a runner with its own registration, also if another one has its name', () => {
    const set = withRunner()
    set.listed([online], now)
    const twin = registration(a, { id: 'twin', status: 'offline', busy: false })
    const own = registration(a, { status: 'online', busy: true })
    for (const [index, list] of [
      [own, twin],
      [twin, own],
    ].entries()) {
      set.listed(list, now + 1 + index)
      expect(set.runner()?.registration).toMatchObject({ is: 'present', value: { id: own.id, busy: true } })
    }
    set.listed([twin], now + 9)
    expect(set.runner()?.registration.is).toBe('absent')
  })

  it('counts for a runner that was registered at the same moment', () => {
    const set = withRunner()
    set.listed([registration('other')], now)
    expect(set.runner()?.registration.is).toBe('absent')
  })

  it('shows when an idle runner gets busy, and when a busy one gets idle', () => {
    const set = withRunner()
    set.listed([online], now)
    set.listed([registration(a, { status: 'online', busy: true })], now + 1)
    expect(set.phase()).toBe('busy')
    set.listed([online], now + 2)
    expect(set.phase()).toBe('idle')
  })

  it('is ignored for a runner that was registered after it was requested', () => {
    const set = withRunner()
    set.listed([registration('other')], now - 1)
    expect(set.runner()?.registration.is).toBe('present')
  })

  it.each<[string, Partial<Registration>, number]>([
    ['offline', { status: 'offline' }, 1],
    ['online', { status: 'online' }, 0],
    ['busy', { busy: true }, 0],
  ])('ends a row of failures when a runner is seen %s for the first time', (_name, over, failures) => {
    const set = withFailure()
    set.listed([registration(a, over)])
    expect(set.state.history.failuresInARow).toBe(failures)
  })

  it('does not take a runner that was online before for a new success', () => {
    const set = withRunner()
    set.listed([online])
    set.end({ kind: 'start-failed', failure })
    set.listed([online], now + 1)
    expect(set.state.history.failuresInARow).toBe(1)
  })

  it('wakes no decision about a busy runner that stays busy', () => {
    const set = withRunner()
    set.listed([registration(a, { status: 'online', busy: true })])
    expect(set.world().attention).toHaveLength(1)
    set.listed([registration(a, { status: 'online', busy: true })], now + 1)
    expect(set.world().attention).toEqual([])
  })
})

describe('a set whose runners never exit by themselves', () => {
  const gitea = runnerSet({ source: { ...runnerSet().source, kind: 'gitea', runnerGroup: undefined } })
  const other = registration('other')
  const busy = (set = gitea) => {
    const opened = open(set)
    opened.list({ [a]: running })
    opened.event(jobStarted)
    opened.listed([registration(a, { busy: true })], now + 1)
    return opened
  }

  it('takes a job as over when two lists lack its runner', () => {
    const set = busy()
    set.listed([other], now + 2)
    expect(set.phase()).toBe('busy')
    set.listed([other], now + 1 + limits.ghostMs)
    expect(set.phase()).toBe('busy')
    set.listed([other], now + 2 + limits.ghostMs)
    expect([set.phase(), set.runner()?.job?.finished?.result]).toEqual(['spent', 'unknown'])
  })

  it('keeps a job while a list shows its runner in between', () => {
    const set = busy()
    set.listed([other], now + 2)
    set.listed([registration(a, { busy: true })], now + 3)
    set.listed([other], now + 2 + limits.ghostMs)
    expect(set.phase()).toBe('busy')
  })

  it('is the only one whose lists end a job', () => {
    const set = busy(runnerSet())
    set.listed([other], now + 2)
    set.listed([other], now + 2 + limits.ghostMs)
    expect(set.phase()).toBe('busy')
  })
})

describe('pending removals', () => {
  const early = () => withRunner({ ...running, end: { ...ended, at: now } })

  it('show an early exit if the forge still lists a runner that ended well without a job', () => {
    const set = early()
    expect(set.pending()).toEqual([{ name: a, in: limits.lateEventMs, early: true }])
    set.listed([registration(a)], now + limits.lateEventMs - 1)
    expect(set.pending()).toMatchObject([{ early: true }])
    const events = set.listed([registration(a)], now + limits.lateEventMs)
    expect(events).toMatchObject([{ kind: 'runner-failed', failure: { reason: 'runner-failed' } }])
    expect(set.pending()).toMatchObject([{ early: false }])
    expect([set.state.history.failuresInARow, set.world().departed]).toEqual([1, []])
  })

  it('show an early exit also after the pod is gone', () => {
    const set = early()
    set.gone({ ...running, end: { ...ended, at: now } })
    expect(set.listed([registration(a)], now + limits.lateEventMs)).toMatchObject([{ kind: 'runner-failed' }])
    expect(set.state.history.failuresInARow).toBe(1)
  })

  it('are over when the forge has dropped the registration itself', () => {
    const set = early()
    set.listed([], now + limits.lateEventMs)
    expect([set.pending(), set.state.history.failuresInARow]).toEqual([[], 0])
  })

  it('are over when the end of a job is reported after the end of its runner', () => {
    const set = early()
    set.event(jobFinished)
    expect(set.pending()).toEqual([])
  })

  it('wait for a list, at most for the lease of a job that the runner did not bring to its end', () => {
    const set = withRunner()
    set.event(jobStarted)
    set.seen({ ...running, end: { ...ended, exitCode: 137, reason: 'Error' } })
    expect(set.pending()).toEqual([{ name: a, in: limits.jobLeaseMs, early: false }])
    set.listed([registration(a, { busy: true })], now + seconds(60))
    expect(set.pending()).toMatchObject([{ in: limits.jobLeaseMs }])
    set.listed([registration(a, { busy: false })], now + seconds(120))
    expect(set.pending()).toMatchObject([{ in: seconds(120) }])
  })

  it('are never due for a runner that brought its job to its end', () => {
    const set = withRunner()
    set.event(jobStarted)
    set.seen({ ...running, end: ended })
    expect(set.pending()).toEqual([])
  })

  const removing = () => {
    const set = open()
    set.list()
    set.listed([registration(a)], now - limits.lateEventMs)
    expect(set.tick().actions).toContainEqual({ kind: 'drop-registration', registration: registration(a) })
    expect(set.tick().actions).not.toContainEqual(expect.objectContaining({ kind: 'drop-registration' }))
    return set
  }

  it.each(['removed', 'absent'] as const)('are over when the forge answers %s', (is) => {
    const set = removing()
    expect(set.outcome({ action: 'drop-registration', name: a, result: { is } })).toMatchObject([
      { kind: 'registration-dropped', name: a },
    ])
    expect(set.pending()).toEqual([])
  })

  it('wait for a list, at most for the lease of a job, when the forge reports the runner as busy', () => {
    const set = removing()
    const [event] = set.outcome({ action: 'drop-registration', name: a, result: { is: 'busy' } })
    expect(event).toMatchObject({ kind: 'registration-kept', failure: { reason: 'deregistration-refused' } })
    expect(set.pending()).toMatchObject([{ in: limits.jobLeaseMs }])
  })

  it('honour a Retry-After, and can be tried again after an aborted attempt', () => {
    const set = removing()
    set.outcome({ action: 'drop-registration', name: a, result: refused(unreachable, now + seconds(200)) })
    expect(set.pending()).toMatchObject([{ in: seconds(200) }])
    const other = removing()
    other.outcome({ action: 'drop-registration', name: a, result: { is: 'aborted' } })
    expect(other.tick().actions).toContainEqual({ kind: 'drop-registration', registration: registration(a) })
  })
})
