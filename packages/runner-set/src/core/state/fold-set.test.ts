import { describe, expect, it } from 'vitest'
import type { Failure } from '../../model/failure.ts'
import type { SetStatus } from '../../model/status.ts'
import { podUseOf } from '../pod-use.ts'
import { trialPod } from '../template.ts'
import { limits, now, podFacts, registration, runnerSet } from '../world.fixture.ts'
import { newSetState } from './set-state.ts'
import { a, emptyDecision, open, refused, seconds, unavailable, unreachable } from './state.fixture.ts'

const stored = trialPod(runnerSet()).spec
const hashOf = (set: ReturnType<typeof open>) => set.state.templateHash

describe('the check of the template', () => {
  it('accepts what the API server stored as it was sent', () => {
    const set = open()
    const events = set.outcome({ action: 'check-template', hash: hashOf(set), result: { is: 'accepted', stored } })
    expect(events).toMatchObject([{ kind: 'template-accepted' }])
    const use = podUseOf(stored)
    expect(set.state.template).toEqual({ is: 'accepted', hash: hashOf(set), warnings: [], use, at: now })
  })

  it('refuses what was changed on the way, and names the field', () => {
    const set = open()
    const changed = { ...stored, restartPolicy: 'Always' }
    const events = set.outcome({
      action: 'check-template',
      hash: hashOf(set),
      result: { is: 'accepted', stored: changed },
    })
    expect(events).toMatchObject([{ kind: 'template-refused', failure: { reason: 'template-changed' } }])
    expect(set.state.template).toMatchObject({ failure: { message: expect.stringContaining('spec.restartPolicy') } })
  })

  it('refuses a hazard that the API server accepts', () => {
    const dind = { name: 'dind', image: 'docker:dind' }
    const set = open(runnerSet({ template: { spec: { initContainers: [dind] } } }))
    const { spec } = trialPod(set.state.set)
    set.outcome({ action: 'check-template', hash: hashOf(set), result: { is: 'accepted', stored: spec } })
    expect(set.state.template).toMatchObject({ is: 'refused', failure: { reason: 'template-hangs' } })
  })

  it('keeps the API server’s sentence of a refusal', () => {
    const set = open()
    const failure: Failure = { reason: 'admission-denied', message: 'denied by policy' }
    const events = set.outcome({ action: 'check-template', hash: 'h', result: refused(failure) })
    expect(events).toMatchObject([{ kind: 'template-refused', hash: 'h', failure }])
    expect(set.state.retries['check-template']).toBeUndefined()
  })

  it('alone decides about a set whose start was refused for its template', () => {
    const set = open()
    set.list({ [a]: podFacts() })
    set.end({ kind: 'start-failed', failure: { reason: 'template-invalid', message: 'x' } })
    expect(set.state.history).toMatchObject({
      blocked: undefined,
      failuresInARow: 0,
      last: { reason: 'template-invalid' },
    })
  })

  it('is repeated after a back-off when the API server does not respond', () => {
    const set = open()
    const check = () => set.outcome({ action: 'check-template', hash: 'h', result: refused(unavailable) })
    expect(check()).toMatchObject([{ kind: 'write-failed', action: 'check-template' }])
    check()
    expect(set.state.retries['check-template']).toMatchObject({ failures: 2 })
    expect(set.state.template).toBeUndefined()
    set.outcome({ action: 'check-template', hash: 'h', result: { is: 'aborted' } })
    expect(set.state.retries['check-template']).toMatchObject({ failures: 2 })
    set.outcome({ action: 'check-template', hash: hashOf(set), result: { is: 'accepted', stored } })
    expect(set.state.retries['check-template']).toBeUndefined()
  })
})

describe('the calls of a set', () => {
  it('are under way from the decision to the outcome', () => {
    const set = open()
    set.list()
    expect(set.tick().actions.map(({ kind }) => kind)).toEqual(['check-template', 'report'])
    expect(set.world().underway).toEqual({ 'check-template': true, 'list-registrations': false, report: true })
    set.outcome({ action: 'check-template', hash: hashOf(set), result: { is: 'aborted' } })
    expect(set.world().underway['check-template']).toBe(false)
  })

  it('list registrations once at a time', () => {
    const set = open()
    set.list()
    set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 0 }, at: now })
    expect(set.tick().actions).toContainEqual({ kind: 'list-registrations' })
    expect(set.tick().actions).not.toContainEqual({ kind: 'list-registrations' })
    set.listed([])
    expect(set.world().underway['list-registrations']).toBe(false)
  })

  it('list registrations again after a back-off that honours Retry-After', () => {
    const set = open()
    const result = refused(unreachable, now + seconds(120))
    expect(set.outcome({ action: 'list-registrations', result })).toMatchObject([{ kind: 'forge-failed' }])
    expect(set.state.retries['list-registrations']).toEqual({ failures: 1, retryAt: now + seconds(120) })
    set.outcome({ action: 'list-registrations', result: { is: 'aborted' } })
    expect(set.state.retries['list-registrations']).toMatchObject({ failures: 1 })
    set.listed([])
    expect(set.state.retries['list-registrations']).toBeUndefined()
  })

  const statusOf = (set: ReturnType<typeof open>): SetStatus => {
    const report = set.tick().actions.find(({ kind }) => kind === 'report')
    if (report?.kind !== 'report') throw new Error('no report was decided')
    return report.status
  }

  it('write a status once, and keep the times of its conditions', () => {
    const set = open()
    const status = statusOf(set)
    set.outcome({ action: 'report', status, result: { is: 'written' } })
    expect(set.world().reported).toEqual({ status, at: now })
    expect(set.tick(now + seconds(9)).actions).not.toContainEqual(expect.objectContaining({ kind: 'report' }))
    expect(set.world().conditions).toEqual(status.conditions)
  })

  it('write a status again after a failure, with a back-off', () => {
    const set = open()
    const status = statusOf(set)
    const events = set.outcome({ action: 'report', status, result: refused(unavailable) })
    expect(events).toMatchObject([{ kind: 'write-failed', action: 'report', message: 'no response' }])
    expect(set.world().reported).toEqual({ status: undefined, at: now })
    expect(set.state.retries.report).toMatchObject({ failures: 1 })
    set.outcome({ action: 'report', status, result: { is: 'aborted' } })
    expect(set.world().reported).toMatchObject({ status: undefined })
    set.outcome({ action: 'report', status, result: { is: 'written' } })
    expect(set.state.retries.report).toBeUndefined()
  })

  it('write a status again, without a complaint, if the API server said once that the set is gone', () => {
    const set = open()
    const status = statusOf(set)
    expect(set.outcome({ action: 'report', status, result: { is: 'gone' } })).toEqual([])
    expect(set.world().reported).toEqual({ status: undefined, at: now })
    expect(set.state.retries.report).toMatchObject({ failures: 1 })
  })
})

describe('the cause of a slow start', () => {
  it('is kept, and shown as the last reason', () => {
    const set = open()
    set.seen()
    const cause = { reason: 'volume-failed', message: 'm', since: now } as const
    set.outcome({ action: 'explain-runner', runner: a, result: { is: 'explained', cause } })
    expect(set.runner()).toMatchObject({ explained: cause, explainedAt: now })
    expect(set.state.history.last).toMatchObject({ reason: 'volume-failed', runner: a })
    set.outcome({ action: 'explain-runner', runner: a, result: { is: 'explained', cause: undefined } }, now + 1)
    expect(set.runner()).toMatchObject({ explained: cause, explainedAt: now + 1 })
    set.outcome({ action: 'explain-runner', runner: a, result: refused(unavailable) }, now + 2)
    expect(set.runner()).toMatchObject({ explained: cause, explainedAt: now + 2 })
  })
})

describe('a change of the set', () => {
  const failure: Failure = { reason: 'image-invalid', message: 'x' }
  const blocked = () => {
    const set = open()
    set.list({ [a]: podFacts() })
    set.end({ kind: 'start-failed', failure })
    set.outcome({ action: 'list-registrations', result: refused(unreachable) })
    return set
  }

  it('lets a blocked set try again', () => {
    const set = blocked()
    set.take({ kind: 'set-changed', set: runnerSet({ generation: 2 }) })
    expect(set.state.history).toMatchObject({ blocked: undefined, retryAt: undefined, failuresInARow: 1 })
    expect([set.state.retries, set.state.set.generation]).toEqual([{}, 2])
  })

  it('has a refused template checked again, and keeps an accepted one', () => {
    const set = open()
    const hash = hashOf(set)
    set.outcome({ action: 'check-template', hash, result: refused({ reason: 'template-invalid', message: 'x' }) })
    set.take({ kind: 'set-changed', set: runnerSet({ generation: 2 }) })
    expect(set.state.template).toBeUndefined()
    set.outcome({ action: 'check-template', hash, result: { is: 'accepted', stored } })
    set.take({ kind: 'set-changed', set: runnerSet({ generation: 3 }) })
    expect(set.state.template).toMatchObject({ is: 'accepted' })
  })

  it('forgets every failure if its template changes', () => {
    const set = blocked()
    const before = set.state.templateHash
    set.take({ kind: 'set-changed', set: runnerSet({ template: { spec: { priorityClassName: 'low' } } }) })
    expect(set.state.history.failuresInARow).toBe(0)
    expect(set.state.templateHash).not.toBe(before)
  })

  it.each([
    ['its template', { template: { spec: { priorityClassName: 'low' } } }, 0],
    ['the age of its idle runners', { idleMaxMs: seconds(120) }, 0],
    ['another field', { generation: 2 }, 1],
  ])('judges its outdated runners again if %s changes', (_what, over, outdated) => {
    const aged = runnerSet({ idleMaxMs: seconds(60) })
    const set = open(aged)
    set.list({ [a]: podFacts({ startedAt: now }) })
    set.listed([registration(a, { status: 'online', busy: false })])
    set.take({ kind: 'decided', decision: { ...emptyDecision, marks: [{ runner: a, is: 'outdated' }] } })
    expect(set.world().outdated.count).toBe(1)
    set.take({ kind: 'set-changed', set: { ...aged, ...over } })
    expect(set.world().outdated.count).toBe(outdated)
  })

  it('forgets the version of its runner if the image changes', () => {
    const version = { version: '2.330.0', from: 'runner', schedule: undefined, minimum: undefined } as const
    const set = open()
    set.event({ kind: 'runner-version', version })
    set.take({ kind: 'set-changed', set: runnerSet({ generation: 2 }) })
    expect(set.world().runnerVersion).toEqual(version)
    const containers = [{ name: 'runner', image: 'registry.example.com/runner:1' }]
    set.take({ kind: 'set-changed', set: runnerSet({ template: { spec: { containers } } }) })
    expect(set.world().runnerVersion).toBeUndefined()
  })

  it('counts the runners of the present template as its proof, with any clock of the API server', () => {
    const set = open()
    const proof = () => set.state.history.proof
    set.request()
    set.seen({ templateHash: 'older', createdAt: now + seconds(5) })
    set.listed([registration(a, { status: 'online' })])
    expect(proof()).toBe('tried')
    set.seen({ createdAt: now - seconds(5) })
    set.event({
      kind: 'job-started',
      runner: a,
      job: { id: 'j', name: '', repository: '' },
      at: now,
      queuedAt: undefined,
    })
    expect(proof()).toBe('proved')
  })
})

describe('a new set', () => {
  it('knows only what its status stores', () => {
    expect([open().state.forge.state, open().world().conditions]).toEqual([{}, []])
    const conditions = open()
      .tick()
      .actions.flatMap((action) => (action.kind === 'report' ? action.status.conditions : []))
    const { forge, conditions: kept } = newSetState(runnerSet(), { forge: { scaleSetId: '7' }, conditions })
    expect([forge.state, kept]).toEqual([{ scaleSetId: '7' }, conditions])
  })
})

describe('a new term', () => {
  it('looks at everything again, and waits for no action of an earlier one', () => {
    const set = open()
    set.list({ [a]: podFacts({ startedAt: now }) })
    set.listed([registration(a), registration(`${a}lost`)])
    set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 0 }, at: now })
    set.tick(now + limits.lateEventMs)
    set.end({ kind: 'surplus' })
    expect(set.world().attention).toEqual([])
    expect(set.world().pendingRemovals).toMatchObject([{ underway: true }])
    set.take({ kind: 'term-began' })
    const world = set.world()
    expect(world.attention.map(({ name }) => name)).toEqual([a])
    expect(world.pendingRemovals).toMatchObject([{ underway: false }])
    expect(world.underway).toEqual({ 'check-template': false, 'list-registrations': false, report: false })
    expect([world.registrationsAt, world.reported, world.retries]).toEqual([undefined, undefined, {}])
  })
})

describe('a connection that cannot be opened', () => {
  it('makes the demand unknown, and says why', () => {
    const set = open()
    expect(set.take({ kind: 'forge-failed', failure: unreachable })).toMatchObject([{ kind: 'forge-failed' }])
    expect(set.world().forgeFailure).toEqual({ ...unreachable, since: now })
  })
})
