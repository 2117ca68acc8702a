import { describe, expect, it } from 'vitest'
import type { Failure, FailureReason } from '../../model/failure.ts'
import type { StartOutcome } from '../../model/outcome.ts'
import { startsOf } from '../starts.ts'
import { trialPod } from '../template.ts'
import { limits, now, podFacts, registration, runnerSet } from '../world.fixture.ts'
import { failureOfLeft } from './history.ts'
import { emptyDecision, open, refused, seconds } from './state.fixture.ts'

const full: Failure = { reason: 'quota-exceeded', message: 'exceeded quota: few' }
const stored = trialPod(runnerSet()).spec

/** A set whose template was refused so often for this reason, the last time now. */
function refusedSet(times = 1, reason: FailureReason = 'quota-exceeded') {
  const set = open()
  set.list()
  set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 6 }, at: now })
  for (let time = 0; time < times; time++) check(set, refused({ ...full, reason }))
  return set
}

type Checked = ReturnType<typeof refused> | { readonly is: 'accepted'; readonly stored: unknown }

function check(set: ReturnType<typeof open>, result: Checked, at = now) {
  set.outcome({ action: 'check-template', hash: set.state.templateHash, result }, at)
}

/** How many starts the set allows. */
function allowed(set: ReturnType<typeof open>, at = now) {
  const world = set.world(at)
  return world.counts.known ? startsOf({ world, limits, now: at }, world.counts.value, 6) : undefined
}

/** The set is asked for a check of the template at this time. */
const isChecked = (set: ReturnType<typeof open>, at: number) =>
  set.tick(at).actions.some(({ kind }) => kind === 'check-template')

/** Starts a runner until this step is refused, or completely. */
function start(set: ReturnType<typeof open>, runner: string, refusedAt: 'pod' | 'secret' | undefined) {
  set.take({ kind: 'decided', decision: { ...emptyDecision, actions: [{ kind: 'start-runner', runner }] } })
  const result = (each: StartOutcome) => set.outcome({ action: 'start-runner', runner, result: each })
  result({ is: 'registered', registration: registration(runner) })
  if (refusedAt !== 'pod') result({ is: 'pod-created', pod: podFacts({ uid: runner }) })
  if (refusedAt === undefined) result({ is: 'secret-created' })
  else result({ ...refused(full), step: refusedAt })
}

describe('a refusal that may pass', () => {
  it.each([
    [1, 5],
    [2, 10],
    [3, 20],
    [9, 30],
  ])('is tried again after %i refusals in a row within %i s, and not at once', (times, most) => {
    expect(isChecked(refusedSet(times), now + seconds(most / 2 - 0.1))).toBe(false)
    expect(isChecked(refusedSet(times), now + seconds(most))).toBe(true)
  })

  it('is tried again as soon as a pod of the set ends, and soon after that', () => {
    const set = refusedSet(9)
    set.seen({ startedAt: now })
    const end = { exitCode: 0, reason: 'Completed', at: now }
    set.seen({ startedAt: now, end, finished: true }, now + seconds(2))
    expect(isChecked(set, now + seconds(2))).toBe(true)
    check(set, refused(full), now + seconds(2))
    expect(isChecked(set, now + seconds(2.9))).toBe(false)
    expect(isChecked(set, now + seconds(3))).toBe(true)
    check(set, refused(full), now + seconds(3))
    expect(isChecked(set, now + seconds(5))).toBe(true)
    check(set, refused(full), now + seconds(5))
    expect(isChecked(set, now + seconds(6))).toBe(false)
  })

  it('counts starts that are refused together once', () => {
    const set = refusedSet(0)
    check(set, { is: 'accepted', stored })
    for (const runner of ['x', 'y', 'z']) start(set, runner, 'pod')
    expect(set.state.template).toMatchObject({ is: 'refused', refusals: 1 })
    expect(set.state.history).toMatchObject({
      failuresInARow: 0,
      retryAt: undefined,
      last: { reason: 'quota-exceeded' },
    })
  })

  it('lets one start try, and one more for each that has its pod and its Secret', () => {
    const set = refusedSet()
    check(set, { is: 'accepted', stored })
    expect(allowed(set)).toMatchObject({ count: 1, held: { count: 5, why: { is: 'caution', failure: full } } })
    start(set, 'x', undefined)
    expect(allowed(set)).toMatchObject({ count: 2 })
    start(set, 'y', undefined)
    expect(allowed(set)).toMatchObject({ count: 3 })
    start(set, 'z', 'pod')
    expect(set.state.template).toMatchObject({ is: 'refused', refusals: 1 })
  })

  it('refuses the template also when the Secret of every runner would be refused, and ends the pod', () => {
    const set = refusedSet()
    check(set, { is: 'accepted', stored })
    start(set, 'x', 'secret')
    const failure = { reason: 'quota-exceeded', message: 'the Secret x could not be written: exceeded quota: few' }
    expect(set.state.template).toMatchObject({ is: 'refused', refusals: 2, failure })
    expect(set.state.table.get('x')?.broken).toEqual(failure)
  })

  it('counts on when a start is refused that the dry run allowed', () => {
    const set = refusedSet(2)
    check(set, { is: 'accepted', stored })
    start(set, 'x', 'pod')
    expect(set.state.template).toMatchObject({ is: 'refused', refusals: 3 })
  })

  it('is over when as many starts succeeded as one tick makes', () => {
    const set = refusedSet()
    check(set, { is: 'accepted', stored })
    for (let count = 0; count < limits.startsPerTick; count++) start(set, `r${count}`, undefined)
    expect(set.state.template).toMatchObject({ is: 'accepted', caution: undefined })
  })
})

describe('idle runners that leave by themselves', () => {
  const leave = (set: ReturnType<typeof open>, at: number) => {
    set.request(at)
    const [name] = [...set.state.table.all()].map((runner) => runner.name)
    if (name === undefined) throw new Error('no runner')
    set.outcome(
      { action: 'start-runner', runner: name, result: { is: 'registered', registration: registration(name) } },
      at,
    )
    const end = { exitCode: 0, reason: 'Completed', at }
    set.seen({ createdAt: at, startedAt: at, end, finished: true }, at)
    set.gone({ createdAt: at, startedAt: at, end, finished: true }, at)
    return set.listed([], at + limits.lateEventMs)
  }
  const leaving = (times: number) => {
    const set = refusedSet(0)
    for (let time = 0; time < times; time++) leave(set, now + seconds(60 * time))
    return set
  }

  it('are shown after more than three, and the spares wait, longer each time', () => {
    expect(leaving(3).state.history).toMatchObject({ last: undefined, left: { runners: 3, retryAt: undefined } })
    const four = leaving(4).state.history
    expect(four).toMatchObject({ last: { reason: 'idle-runner-left' }, left: { runners: 4 } })
    const wait = (of: typeof four, times: number) =>
      (of.left.retryAt ?? 0) - now - seconds(60 * (times - 1)) - limits.lateEventMs
    expect(wait(four, 4)).toBeGreaterThan(0)
    expect(wait(leaving(9).state.history, 9)).toBeGreaterThan(10 * wait(four, 4))
  })

  it('are taken back by jobs while they are few, and stay shown beside jobs when they are many', () => {
    const job = (id: string) => ({ id, name: 'j', repository: 'a/b' })
    const started = (id: string) => ({ kind: 'job-started', runner: id, job: job(id), at: now, queuedAt: now }) as const
    const few = leaving(3)
    few.event(started('first'))
    expect(few.state.history.left.runners).toBe(2)
    const many = leaving(4)
    many.event(started('first'))
    expect(many.state.history.left).toMatchObject({ runners: 4, retryAt: expect.any(Number) })
  })

  it('count from the beginning when the forge fails, or when none has left for a while', () => {
    const failing = leaving(3)
    failing.event({ kind: 'failing', failure: { reason: 'forge-unreachable', message: '' }, since: now })
    expect(failing.state.history.left).toEqual({ runners: 0, at: 0, retryAt: undefined })
    const later = leaving(4)
    const { history } = later.state
    expect(failureOfLeft(history, limits, history.left.at + limits.failureMemoryMs - 1)).toBeDefined()
    expect(failureOfLeft(history, limits, history.left.at + limits.failureMemoryMs)).toBeUndefined()
    leave(later, history.left.at + limits.failureMemoryMs)
    expect(later.state.history.left).toMatchObject({ runners: 1, retryAt: undefined })
  })
})
