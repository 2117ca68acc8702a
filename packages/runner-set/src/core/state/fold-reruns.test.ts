// How a job whose runner broke becomes known, and what each answer of the forge changes.
import { timestamp } from '@dayfly/kit/timestamp'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../model/outcome.ts'
import type { Ask, BrokenRun, ForgeJob, PendingRerun, RerunPolicy } from '../../model/rerun.ts'
import { dayOf, pendingMax } from '../rerun/reruns.ts'
import { now, runnerSet } from '../world.fixture.ts'
import { a, emptyDecision, job, open, seconds, unreachable } from './state.fixture.ts'

type Result = Extract<Outcome, { action: 'ask-run' }>['result']

const policy: RerunPolicy = { perRun: 3, perDay: 5, notify: false }
const setWith = (over: Partial<RerunPolicy> = {}) =>
  runnerSet({ source: { ...runnerSet().source, rerun: { ...policy, ...over } } })

const pending = (runner: string, over: Partial<PendingRerun> = {}): PendingRerun => ({
  ...{ runner, job: 'test', repository: 'acme/app', run: '7', cause: 'evicted', detail: 'd' },
  ...{ brokeAt: timestamp(now - seconds(20)), endedAt: timestamp(now), ended: false, doubtful: false, note: null },
  ...over,
})
const failed = (runner: string, over: Partial<ForgeJob> = {}): ForgeJob => ({
  ...{ id: `of-${runner}`, name: 'test', runner, attempt: 1, state: 'failed', failedStep: undefined },
  ...{ openStep: 'script', finishedAt: now, sha: 'abc', ...over },
})
const running = (runner: string): ForgeJob => failed(runner, { state: 'open', finishedAt: undefined })
const look: Ask = { is: 'look' }
const repeatOf = (runner: string): Ask => ({ is: 'repeat', job: `of-${runner}`, runners: [runner] })

/** A set that follows these jobs. */
function following(jobs: readonly PendingRerun[], over: Partial<RerunPolicy> = {}, repeated = 0) {
  const set = open(setWith(over), { rerun: { day: dayOf(now), repeated, pending: jobs } })
  const answer = (ask: Ask, result: Result, at = now, run = '7') =>
    set
      .outcome({ action: 'ask-run', repository: 'acme/app', run, ask, result }, at)
      .map((event) => ('why' in event ? `${event.kind} ${event.why}` : event.kind))
  return {
    ...set,
    answer,
    see: (...jobs: readonly ForgeJob[]) => answer(look, { is: 'seen', jobs }),
    runs: (at = now) => set.state.reruns.runs.map((run) => shown(run, at)),
  }
}

/** The next call about a run, when it is due, and what is known of each job. */
function shown({ next, dueAt, looks, underway, jobs }: BrokenRun, at: number): string {
  const what = 'runners' in next ? `${next.is} ${next.runners.join('+')}` : next.is
  const flags = jobs.map(({ runner, ended, doubtful, note }) =>
    [runner, ended && 'ended', doubtful && 'doubtful', note && 'note'].filter(Boolean).join(' '),
  )
  return `${what} +${dueAt - at} looks ${looks}${underway ? ' under way' : ''} [${flags.join(', ')}]`
}

describe('a runner that breaks', () => {
  const started = {
    kind: 'job-started',
    runner: a,
    job: { ...job, origin: { run: '7' } },
    at: now,
    queuedAt: undefined,
  } as const
  const disrupted = { reason: 'evicted', message: 'Evicted', since: now - seconds(5) } as const
  const end = { exitCode: 143, reason: 'Error', at: now - 1_000 }
  const runs = ({ state }: ReturnType<typeof open>) =>
    state.reruns.runs.map(({ run, jobs }) => [
      run,
      ...jobs.map(({ runner, cause, brokeAt }) => ({ runner, cause, brokeAt })),
    ])
  const begin = (set = setWith()) => {
    const opened = open(set)
    opened.list()
    opened.request()
    opened.seen({ startedAt: now - seconds(60) })
    return opened
  }

  it('is followed with the run of its job, from the beginning of the cause', () => {
    const opened = begin()
    opened.event(started)
    opened.seen({ startedAt: now - seconds(60), disrupted, end })
    expect(runs(opened)).toEqual([['7', { runner: a, cause: 'evicted', brokeAt: disrupted.since }]])
  })

  it('is followed from the end of its container if the cause has no time', () => {
    const opened = begin()
    opened.event(started)
    opened.seen({ startedAt: now - seconds(60), end: { ...end, reason: 'OOMKilled', exitCode: 137 } })
    expect(runs(opened)).toEqual([['7', { runner: a, cause: 'runner-out-of-memory', brokeAt: end.at }]])
  })

  it('is followed once if a later status than that of its end names the cause', () => {
    const opened = begin()
    opened.event(started)
    const facts = { startedAt: now - seconds(60), end: { ...end, exitCode: 0 }, finished: false }
    expect(opened.seen(facts).map(({ kind }) => kind)).toEqual(['runner-ended'])
    const failure = { reason: disrupted.reason, message: disrupted.message }
    expect(opened.seen({ ...facts, disrupted })).toMatchObject([{ kind: 'runner-failed', failure }])
    expect(opened.seen({ ...facts, disrupted, finished: true })).toEqual([])
    expect(runs(opened)).toEqual([['7', { runner: a, cause: 'evicted', brokeAt: disrupted.since }]])
    expect(opened.state.history).toMatchObject({ failuresInARow: 0, last: { reason: 'evicted' } })
  })

  it('is not followed if a later status names a cause from after its end', () => {
    const opened = begin()
    opened.event(started)
    opened.seen({ startedAt: now - seconds(60), end })
    expect(opened.seen({ startedAt: now - seconds(60), end, disrupted: { ...disrupted, since: now } })).toEqual([])
    expect(runs(opened)).toEqual([])
  })

  it('waits for the name of its job, which may come after its end, and with the end of the job', () => {
    for (const event of [
      started,
      { kind: 'job-finished', runner: a, jobId: job.id, result: 'failed', at: now, job: started.job } as const,
    ]) {
      const opened = begin()
      opened.seen({ startedAt: now - seconds(60), disrupted, end })
      expect([runs(opened), opened.state.reruns.unnamed.map(({ runner }) => runner)]).toEqual([[], [a]])
      opened.event(event)
      expect([runs(opened).map(([run]) => run), opened.state.reruns.unnamed]).toEqual([['7'], []])
    }
  })

  it('is not followed by a set that repeats nothing, nor for a cause that is not on the list', () => {
    const without = begin(runnerSet())
    without.event(started)
    without.seen({ startedAt: now - seconds(60), disrupted, end })
    const other = begin()
    other.event(started)
    other.seen({ startedAt: now - seconds(60), end })
    for (const { state } of [without, other]) expect([state.reruns.runs, state.reruns.unnamed]).toEqual([[], []])
  })

  it('is known from the status, if another process saw the beginning of its job', () => {
    const record = {
      id: 'j',
      name: 'test',
      repository: 'acme/app',
      run: '9',
      runner: a,
      result: null,
      finishedAt: null,
    }
    const jobs = [{ ...record, runner: 'other', run: '8' }, record].map((one) => ({
      ...one,
      startedAt: timestamp(now),
    }))
    const opened = open(setWith(), { jobs })
    opened.list({}, now - seconds(90))
    opened.request(now - seconds(80))
    opened.seen({ startedAt: now - seconds(60) })
    opened.seen({ startedAt: now - seconds(60), disrupted, end })
    expect(runs(opened).map(([run]) => run)).toEqual(['9'])
  })

  it('brings the look at its run forward when its job ends', () => {
    const set = following([pending('x'), pending(a)])
    set.see(running('x'), running(a))
    set.see(running('x'), running(a))
    expect(set.runs()).toEqual([`look +4000 looks 2 [x, ${a}]`])
    set.event({ kind: 'job-finished', runner: 'stranger', jobId: 'j', result: 'failed', at: now })
    expect(set.runs()).toEqual([`look +4000 looks 2 [x, ${a}]`])
    set.event({ kind: 'job-finished', runner: a, jobId: 'j', result: 'failed', at: now })
    expect(set.runs()).toEqual([`look +500 looks 0 [x, ${a}]`])
  })
})

describe('a look at a run', () => {
  it('is repeated later and later while the run is open, and at the time at which it may be ended', () => {
    const set = following([pending('x')])
    const times = [1, 2, 3, 4, 5, 6].map(() => {
      set.see(running('x'), failed('y', { state: 'open' }))
      return set.state.reruns.runs[0]?.dueAt
    })
    expect(times.map((at) => (at ?? 0) - now)).toEqual([2_000, 4_000, 5_000, 5_000, 5_000, 5_000])
  })

  it('waits for 30 s at most for a run that was ended', () => {
    const set = following([pending('x', { ended: true })])
    const times = [1, 2, 3, 4, 5, 6].map(() => {
      set.see(running('x'))
      return (set.state.reruns.runs[0]?.dueAt ?? 0) - now
    })
    expect(times).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  it.each<[string, readonly string[], readonly ForgeJob[], string]>([
    ['shows a failed job: it is repeated', ['x'], [failed('x')], 'repeat x +0 looks 0 [x]'],
    [
      'shows two, and no other: they are repeated together',
      ['x', 'y'],
      [failed('x'), failed('y')],
      'repeat-failed x+y +0 looks 0 [x, y]',
    ],
    [
      'shows one that failed by itself beside two: one is repeated',
      ['x', 'y'],
      [failed('x'), failed('y'), failed('z')],
      'repeat x +0 looks 0 [x, y]',
    ],
    [
      'shows one that was cancelled beside two: likewise',
      ['x', 'y'],
      [failed('x'), failed('y'), failed('z', { state: 'cancelled' })],
      'repeat x +0 looks 0 [x, y]',
    ],
    [
      'shows one that succeeded beside two: both',
      ['x', 'y'],
      [failed('x'), failed('y'), failed('z', { state: 'succeeded' })],
      'repeat-failed x+y +0 looks 0 [x, y]',
    ],
  ])('%s', (_, runners, jobs, expected) => {
    const set = following(runners.map((runner) => pending(runner)))
    expect(set.see(...jobs)).toEqual([])
    expect(set.runs()).toEqual([expected])
  })

  it('ends a run that waits for nothing but dead runners', () => {
    const at = now + seconds(5)
    const set = following([pending('x'), pending('y')])
    set.answer(look, { is: 'seen', jobs: [running('x'), failed('y')] }, at)
    expect(set.runs(at)).not.toEqual([expect.stringMatching(/^end/)])
    const alone = following([pending('x')])
    alone.answer(look, { is: 'seen', jobs: [running('x')] }, at)
    expect(alone.runs(at)).toEqual(['end +0 looks 0 [x]'])
  })

  it('forgets a job that needs no repetition, and says why', () => {
    const set = following([pending('x'), pending('y')])
    expect(set.see(failed('x', { failedStep: 'test' }), failed('y'))).toEqual(['job-not-repeated own-step'])
    expect(set.runs()).toEqual(['repeat y +0 looks 0 [y]'])
  })

  it('repeats no more than the day allows, with the jobs of other runs that are about to be repeated', () => {
    const set = following([pending('x'), pending('y', { run: '8' }), pending('z', { run: '8' })], { perDay: 3 }, 1)
    expect(set.answer(look, { is: 'seen', jobs: [failed('y'), failed('z')] }, now, '8')).toEqual([])
    expect(set.see(failed('x'))).toEqual(['job-not-repeated day-budget'])
  })

  it('repeats one by one if the day does not allow all', () => {
    const set = following([pending('x'), pending('y')], { perDay: 1 })
    set.see(failed('x'), failed('y'))
    expect(set.runs()).toEqual(['repeat x +0 looks 0 [x, y]'])
    const all = following([pending('x'), pending('y')], { perDay: 2 })
    all.see(failed('x'), failed('y'))
    expect(all.runs()).toEqual(['repeat-failed x+y +0 looks 0 [x, y]'])
  })

  it('changes nothing for a set that repeats nothing any more', () => {
    const set = following([pending('x')])
    set.take({ kind: 'set-changed', set: runnerSet({ generation: 2 }) })
    expect(set.see(failed('x'))).toEqual([])
  })

  it('forgets a job after a day, and says so', () => {
    const set = following([pending('x'), pending('y', { endedAt: timestamp(now + seconds(60)) })])
    const at = now + 24 * 3_600_000
    expect(set.answer(look, { is: 'running' }, at)).toEqual(['job-not-repeated unknown'])
    expect(set.runs(at)).toEqual(['look +2000 looks 1 [y]'])
  })
})

describe('a request to repeat a job', () => {
  const ready = (...jobs: readonly PendingRerun[]) => {
    const set = following(jobs.length > 0 ? jobs : [pending('x')])
    set.see(failed('x'))
    return set
  }

  it('settles the job and counts it, if it is accepted', () => {
    const set = ready(pending('x'), pending('y'))
    expect(set.answer(repeatOf('x'), { is: 'accepted' })).toEqual(['job-repeated'])
    expect(set.runs()).toEqual(['look +30000 looks 0 [y]'])
    expect(set.state.reruns).toMatchObject({ day: dayOf(now), repeated: 1 })
    const next = now + 24 * 3_600_000
    set.answer({ is: 'repeat-failed', runners: ['y'] }, { is: 'accepted' }, next - 1)
    expect(set.state.reruns).toMatchObject({ day: dayOf(next - 1), repeated: dayOf(next - 1) === dayOf(now) ? 2 : 1 })
  })

  it('is followed by a look, if it finds the run open', () => {
    const set = ready()
    expect(set.answer(repeatOf('x'), { is: 'running' })).toEqual([])
    expect(set.runs()).toEqual(['look +2000 looks 1 [x]'])
  })

  it('without an answer is in doubt: a look shows whether it was carried out', () => {
    for (const is of ['lost-answer', 'aborted'] as const) {
      const set = ready(pending('x'), pending('y'))
      const result: Result = is === 'aborted' ? { is } : { is, failure: unreachable, retryAt: undefined }
      expect(set.answer(repeatOf('x'), result)).toEqual(is === 'aborted' ? [] : ['forge-failed'])
      expect(set.runs()).toEqual(['look +0 looks 0 [x doubtful, y]'])
      expect(set.see(failed('z', { attempt: 2 }), failed('y'))).toEqual(['job-repeated'])
      expect(set.state.reruns.repeated).toBe(1)
    }
    const certain = following([pending('x')])
    expect(certain.see(failed('z', { attempt: 2 }))).toEqual(['job-not-repeated repeated'])
  })

  it('is shown if it is refused, and goes behind the others until the forge allows it', () => {
    const set = ready()
    const failure = { reason: 'rerun-refused', message: '403' } as const
    const later = now + seconds(9)
    expect(set.answer(repeatOf('x'), { is: 'refused', failure, retryAt: undefined }, later)).toEqual(['forge-failed'])
    expect(set.runs(later)).toEqual(['look +0 looks 0 [x]'])
    expect(set.state.reruns.refused).toEqual({ 'change-run': failure })
    expect(Object.keys(set.state.retries)).toEqual(['change-run'])
    set.answer(look, { is: 'running' })
    expect(set.state.reruns.refused['change-run']).toEqual(failure)
    set.answer(repeatOf('x'), { is: 'running' })
    expect(set.state.reruns.refused['change-run']).toBeUndefined()
    expect(set.state.retries['change-run']).toBeUndefined()
  })

  it('about a run that nobody follows any more changes nothing but the back-off', () => {
    const set = ready()
    set.answer(repeatOf('q'), { is: 'refused', failure: unreachable, retryAt: undefined }, now, '99')
    expect(set.runs()).toEqual(['repeat x +0 looks 0 [x]'])
    expect(set.state.retries['change-run']).toBeDefined()
  })
})

describe('a request to end a run', () => {
  const end: Ask = { is: 'end' }

  it.each<[string, Result, string]>([
    ['is accepted', { is: 'accepted' }, 'look +500 looks 0 [x ended]'],
    ['finds it over', { is: 'running' }, 'look +500 looks 0 [x]'],
    ['has no answer', { is: 'lost-answer', failure: unreachable, retryAt: undefined }, 'look +0 looks 0 [x ended]'],
    ['is cut off', { is: 'aborted' }, 'look +0 looks 0 [x ended]'],
    ['is refused', { is: 'refused', failure: unreachable, retryAt: undefined }, 'look +0 looks 0 [x]'],
  ])('%s', (_, result, expected) => {
    const set = following([pending('x')])
    set.answer(end, result)
    expect(set.runs()).toEqual([expected])
  })
})

describe('the author of a commit', () => {
  const notified = (set: ReturnType<typeof following>) => set.state.reruns.runs[0]?.jobs[0]?.note

  it('gets a message about a repetition, and the job is followed until then', () => {
    const set = following([pending('x')], { notify: true })
    set.see(failed('x'), failed('y'))
    expect(set.answer(repeatOf('x'), { is: 'accepted' })).toEqual(['job-repeated'])
    const note = notified(set)
    expect(note).toMatchObject({ runner: 'x', sha: 'abc', text: expect.stringContaining('has repeated the job') })
    expect(set.runs()).toEqual(['look +30000 looks 0 [x note]'])
    if (!note) throw new Error('there is no note')
    const refusal = { is: 'refused', failure: unreachable, retryAt: undefined } as const
    set.answer({ is: 'notify', note }, refusal)
    expect(set.runs()).toEqual(['look +30000 looks 0 [x note]'])
    expect(Object.keys(set.state.retries)).toEqual(['notify-author'])
    set.answer({ is: 'notify', note }, { is: 'accepted' })
    expect(set.runs()).toEqual([])
  })

  it('gets one about a job that would fail again, while another one of the run is repeated', () => {
    const set = following([pending('x', { cause: 'runner-out-of-memory' }), pending('y')], { notify: true })
    expect(set.see(failed('x'), failed('y'))).toEqual(['job-not-repeated cause'])
    expect(set.runs()).toEqual(['repeat y +0 looks 0 [x note, y]'])
    // A job that is decided is judged no more, and is not ended for the others.
    expect(set.see(failed('x'), failed('y'))).toEqual([])
    set.answer({ is: 'end' }, { is: 'accepted' })
    expect(set.runs()).toEqual(['look +500 looks 0 [x note, y ended]'])
  })

  it('gets none from a set that notifies nobody, nor about a job that has an end of its own', () => {
    const silent = following([pending('x', { cause: 'runner-out-of-memory' })])
    silent.see(failed('x'))
    const own = following([pending('x')], { notify: true })
    own.see(failed('x', { failedStep: 'test' }))
    expect([silent.runs(), own.runs()]).toEqual([[], []])
  })

  it('is forgotten without a further word after a day', () => {
    const set = following([pending('x', { cause: 'runner-out-of-memory' })], { notify: true })
    set.see(failed('x'))
    expect(set.answer(look, { is: 'running' }, now + 24 * 3_600_000)).toEqual([])
    expect(set.runs()).toEqual([])
  })
})

it('a call of an earlier term is in doubt for the next leader, and refusals are forgotten', () => {
  const set = following([pending('x'), pending('y', { run: '8' })])
  set.see(failed('x'))
  const failure = { reason: 'rerun-refused', message: '403' } as const
  set.answer(look, { is: 'refused', failure, retryAt: undefined }, now, '99')
  const begun = { kind: 'ask-run', repository: 'acme/app', run: '7', ask: repeatOf('x') } as const
  set.take({ kind: 'decided', decision: { ...emptyDecision, actions: [begun] } })
  const others = set.runs()[1]
  expect(set.runs()).toEqual(['repeat x +0 looks 0 under way [x]', others])
  set.take({ kind: 'term-began' })
  expect(set.runs()).toEqual(['look +0 looks 0 [x doubtful]', others])
  expect(set.state.reruns.refused).toEqual({})
})

it('more jobs than can be kept are forgotten, the oldest first', () => {
  const jobs = Array.from({ length: pendingMax }, (_, index) => pending(`r${index}`, { run: String(index) }))
  const set = following(jobs)
  const { origin: _, ...named } = { ...job, origin: undefined }
  set.state.reruns = {
    ...set.state.reruns,
    unnamed: [{ runner: a, cause: 'evicted', detail: 'd', brokeAt: now, endedAt: now }],
  }
  const started = { kind: 'job-started', runner: a, at: now, queuedAt: undefined } as const
  set.event({ ...started, job: named })
  expect(set.state.reruns.runs).toHaveLength(pendingMax)
  const events = set.event({ ...started, job: { ...named, origin: { run: '700' } } })
  expect(events).toContainEqual(expect.objectContaining({ kind: 'job-not-repeated', runner: 'r0', why: 'forgotten' }))
  expect(set.state.reruns.runs).toHaveLength(pendingMax)
})

it('a set that repeats no job any more forgets its jobs, and any other change of the set keeps them', () => {
  const set = following([pending('a')])
  set.take({ kind: 'set-changed', set: { ...setWith(), generation: 2 } })
  expect(set.state.reruns.runs).toHaveLength(1)
  set.take({ kind: 'set-changed', set: runnerSet({ generation: 3 }) })
  expect(set.state.reruns.runs).toEqual([])
})

it('the job of another runner changes nothing of those that are followed', () => {
  const set = following([pending('b')])
  const before = set.state.reruns
  const origin = { run: '8', ref: 'main' }
  set.event({ kind: 'job-started', runner: a, at: now, queuedAt: undefined, job: { ...job, origin } })
  set.event({ kind: 'job-finished', runner: a, jobId: job.id, result: 'failed', at: now })
  expect(set.state.reruns).toBe(before)
})
