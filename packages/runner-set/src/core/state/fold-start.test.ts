import { describe, expect, it } from 'vitest'
import type { Failure } from '../../model/failure.ts'
import type { StartOutcome } from '../../model/outcome.ts'
import { limits, now, podFacts, registration } from '../world.fixture.ts'
import { a, open, refused, seconds, unavailable, unreachable } from './state.fixture.ts'

const registered: StartOutcome = { is: 'registered', registration: registration(a) }
const created: StartOutcome = { is: 'pod-created', pod: podFacts({ uid: 'u' }) }
const lost = (step: 'register' | 'pod' | 'secret') => ({ ...refused(unavailable), is: 'lost-answer', step }) as const
const no = (step: 'register' | 'pod' | 'secret', failure: Failure) => ({ ...refused(failure), step }) as const

/** A set whose runner's start has had these results. */
function started(...results: readonly StartOutcome[]) {
  const set = open()
  set.list()
  set.request()
  const events = results.flatMap((result) => set.outcome({ action: 'start-runner', runner: a, result }))
  return { ...set, kinds: events.map(({ kind }) => kind), events }
}

describe('the start of a runner', () => {
  it('is reported step by step', () => {
    const set = started(registered, created, { is: 'secret-created' })
    expect(set.kinds).toEqual(['runner-registered', 'pod-created'])
    expect(set.events).toMatchObject([{ registration: '7' }, { uid: 'u' }])
    expect(set.phase()).toBe('starting')
    expect(set.state.table.isUnderway(a)).toBe(false)
    expect(set.runner()?.registration).toMatchObject({ is: 'present', value: { id: '7' } })
  })

  it.each([
    ['its registration', registered, 'runner-registered'],
    ['its refusal', no('register', unreachable), 'start-refused'],
  ] as const)('says at %s how long ago it was decided', (_title, result, kind) => {
    const set = started()
    const events = set.outcome({ action: 'start-runner', runner: a, result }, now + seconds(3))
    expect(events.find((event) => event.kind === kind)).toMatchObject({ requestedMs: seconds(3) })
  })

  it('does not say when it was decided if the watch has shown the pod before', () => {
    const set = started()
    set.seen({ uid: 'u' })
    const events = set.outcome({ action: 'start-runner', runner: a, result: registered }, now + seconds(3))
    expect(events).toMatchObject([{ kind: 'runner-registered', requestedMs: undefined }])
  })

  it('keeps what the watch has shown before the response to the creation of the pod', () => {
    const set = started(registered)
    set.seen({ uid: 'u', resourceVersion: '9', node: 'node-1' })
    set.outcome({ action: 'start-runner', runner: a, result: created })
    expect(set.runner()?.pod).toMatchObject({ value: { resourceVersion: '9', node: 'node-1' } })
  })

  it('says how long it took, if the pod was seen before it started', () => {
    const startedAt = now - seconds(20)
    const seen = open()
    seen.seen({ createdAt: now - seconds(60) })
    const events = [
      seen.seen({ createdAt: now - seconds(60), startedAt, resourceVersion: '2' }),
      open().seen({ startedAt }),
    ]
    expect(events.map(([event]) => event)).toMatchObject([
      { kind: 'runner-started', startMs: seconds(40) },
      { kind: 'runner-started', startMs: undefined },
    ])
  })

  it('is under way until the Secret exists', () => {
    expect(started(registered, created).state.table.isUnderway(a)).toBe(true)
  })

  it('waits when the forge allows no registration now', () => {
    const set = started({ is: 'limited', until: now + seconds(90) })
    expect(set.runner()).toBeUndefined()
    expect(set.state.history.failuresInARow).toBe(0)
    expect(set.world().retries.register?.retryAt).toBe(now + seconds(90))
  })

  it('forgets the wait as soon as a registration succeeds', () => {
    const set = started({ is: 'limited', until: now + seconds(90) })
    set.request()
    set.outcome({ action: 'start-runner', runner: a, result: registered })
    expect(set.world().retries.register).toBeUndefined()
  })

  it('lists the registrations after a registration without a response', () => {
    const set = started({ ...refused(unreachable, now + seconds(70)), step: 'register' })
    expect(set.kinds).toEqual(['runner-gone', 'start-refused'])
    expect(set.world().registrationsDoubtful).toBe(true)
    expect(set.world().retries.register).toEqual({ failures: 1, retryAt: now + seconds(70) })
    expect(set.state.history.failuresInARow).toBe(1)
    expect(set.pending()).toEqual([])
  })

  it('leaves a pending removal when the pod is refused', () => {
    const set = started(registered, no('pod', unavailable))
    expect(set.runner()).toBeUndefined()
    expect(set.pending()).toEqual([{ name: a, in: limits.lateEventMs, early: false }])
    expect(set.state.template).toBeUndefined()
    expect(set.state.history).toMatchObject({ failuresInARow: 1, last: { reason: 'api-unavailable' } })
  })

  it('refuses the template when every pod of it would be refused', () => {
    const failure: Failure = { reason: 'quota-exceeded', message: 'pods: 2' }
    const set = started(registered, no('pod', failure))
    expect(set.kinds).toContain('template-refused')
    expect(set.state.template).toMatchObject({ is: 'refused', failure, hash: set.state.templateHash })
  })

  it('looks the pod up when the response to its creation is lost', () => {
    const set = started(registered, lost('pod'))
    expect(set.tick().actions).toContainEqual({ kind: 'look-up-pod', runner: a })
  })

  it('ends a pod whose Secret cannot be written', () => {
    const set = started(registered, created, no('secret', unavailable))
    expect(set.runner()?.broken).toMatchObject({ reason: 'api-unavailable' })
    expect(set.state.template).toBeUndefined()
    expect(set.tick().actions).toContainEqual(
      expect.objectContaining({
        kind: 'deregister-runner',
        runner: a,
        because: expect.objectContaining({ kind: 'start-failed' }),
      }),
    )
  })

  it.each([
    ['register', []],
    ['pod', [registered]],
  ] as const)('leaves what it may have done to the next list when the term ends at step %s', (step, before) => {
    const set = started(...before, { is: 'aborted', step })
    expect(set.runner()).toBeUndefined()
    expect(set.state.history.failuresInARow).toBe(0)
    expect(set.world().registrationsDoubtful).toBe(true)
  })

  it.each([
    ['the term ends', { is: 'aborted', step: 'pod' }],
    ['the API server refuses a second request of the same name', no('pod', unavailable)],
  ] as const)('ends a pod that the watch has shown when %s', (_when, result) => {
    const set = started(registered)
    set.seen(podFacts())
    set.outcome({ action: 'start-runner', runner: a, result })
    expect(set.runner()).toMatchObject({ pod: { is: 'present' }, broken: { reason: 'api-unavailable' } })
    expect(set.tick().actions).toContainEqual(expect.objectContaining({ kind: 'deregister-runner', runner: a }))
  })

  it('keeps the pod when the term ends before its Secret is written', () => {
    const set = started(registered, created, { is: 'aborted', step: 'secret' })
    expect(set.runner()).toMatchObject({ broken: undefined })
    expect(set.state.table.isUnderway(a)).toBe(false)
  })

  it('does not revive a runner that is gone by now', () => {
    const set = started(registered)
    set.gone()
    set.outcome({ action: 'start-runner', runner: a, result: created })
    expect(set.runner()).toBeUndefined()
  })
})

describe('a pod that was perhaps created', () => {
  const answer = (
    set: ReturnType<typeof started>,
    result: Parameters<typeof set.outcome>[0] & { action: 'look-up-pod' },
  ) => set.outcome(result)

  it('is ended if it exists: its credential is lost', () => {
    const set = started(registered, lost('pod'))
    answer(set, { action: 'look-up-pod', runner: a, result: { is: 'present', pod: podFacts() } })
    expect(set.runner()).toMatchObject({ lookUp: undefined, broken: { reason: 'api-unavailable' } })
  })

  it('is ended as well if the watch shows it first', () => {
    const set = started(registered, lost('pod'))
    set.seen()
    expect(set.runner()).toMatchObject({ lookUp: undefined, broken: { reason: 'api-unavailable' } })
  })

  it('is not looked up again if the watch showed it during the look-up', () => {
    const set = started(registered, lost('pod'))
    set.seen()
    answer(set, { action: 'look-up-pod', runner: a, result: refused(unavailable) })
    expect(set.runner()).toMatchObject({ lookUp: undefined, broken: { reason: 'api-unavailable' } })
  })

  it('is ended as well if the watch showed it before the response was given up', () => {
    const set = started(registered)
    set.seen()
    set.outcome({ action: 'start-runner', runner: a, result: lost('pod') })
    expect(set.runner()).toMatchObject({ lookUp: undefined, broken: { reason: 'api-unavailable' } })
    expect(set.tick().actions).toContainEqual(expect.objectContaining({ kind: 'deregister-runner', runner: a }))
  })

  it('is ended, and its failure counts once, if the API server refuses the creation of a pod that the watch has shown', () => {
    const set = started(registered)
    set.seen()
    const events = set.outcome({ action: 'start-runner', runner: a, result: no('pod', unavailable) })
    expect(events).toEqual([])
    expect(set.runner()?.broken).toEqual(unavailable)
    expect(set.state.history.failuresInARow).toBe(0)
  })

  it('stays as the watch showed it during the look-up, and is not taken for absent', () => {
    for (const result of [{ is: 'present', pod: podFacts({ resourceVersion: '1' }) }, { is: 'absent' }] as const) {
      const set = started(registered, lost('pod'))
      set.seen({ resourceVersion: '9' })
      answer(set, { action: 'look-up-pod', runner: a, result })
      expect(set.runner()?.pod).toMatchObject({ value: { resourceVersion: '9' } })
    }
  })

  it('is over if it does not exist', () => {
    const set = started(registered, lost('pod'))
    answer(set, { action: 'look-up-pod', runner: a, result: { is: 'absent' } })
    expect(set.runner()).toBeUndefined()
    expect(set.pending()).toEqual([{ name: a, in: limits.lateEventMs, early: false }])
    expect(set.state.history.failuresInARow).toBe(1)
  })

  it('is looked up again after a back-off', () => {
    const set = started(registered, lost('pod'))
    answer(set, { action: 'look-up-pod', runner: a, result: refused(unavailable, now + seconds(99)) })
    answer(set, { action: 'look-up-pod', runner: a, result: { is: 'aborted' } })
    expect(set.runner()?.lookUp).toEqual({ failures: 1, retryAt: now + seconds(99) })
    answer(set, { action: 'look-up-pod', runner: a, result: refused(unavailable) })
    expect(set.runner()?.lookUp).toMatchObject({ failures: 2 })
  })
})
