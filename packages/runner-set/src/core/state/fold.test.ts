import { describe, expect, it } from 'vitest'
import type { JournalEvent } from '../../model/event.ts'
import type { Failure } from '../../model/failure.ts'
import { decide } from '../decide.ts'
import { ended, ids, limits, now, podFacts, registration } from '../world.fixture.ts'
import { a, emptyDecision, job, open, refused, seconds, unavailable, unreachable } from './state.fixture.ts'

const kindsOf = (events: readonly JournalEvent[]) => events.map(({ kind }) => kind)

describe('pods', () => {
  it('counts a requested runner before any watch shows it, and never twice', () => {
    const set = open()
    set.list()
    set.request()
    expect(set.state.table.counts()).toMatchObject({ starting: 1, occupied: 1 })
    set.list({}, now + 1)
    expect(set.state.table.counts().starting).toBe(1)
    set.seen()
    set.seen()
    expect(set.state.table.counts().starting).toBe(1)
  })

  it('keeps what a write returned against a list that was requested before the write', () => {
    const set = open()
    set.seen({}, now)
    set.list({}, now - 1, now + 1)
    expect(set.phase()).toBe('starting')
    set.list({}, now + 2)
    expect(set.phase()).toBeUndefined()
  })

  it.each([
    ['requested after it', 5],
    ['requested at the same moment', 0],
  ])('removes a request without an action if a list %s has no pod', (_name, later) => {
    const set = open()
    set.request()
    set.outcome({
      action: 'start-runner',
      runner: a,
      result: { ...refused(unavailable), is: 'lost-answer', step: 'pod' },
    })
    set.list({}, now + later)
    expect(set.runner()).toBeUndefined()
  })

  it('removes a pod that a list of the same moment does not have', () => {
    const set = open()
    set.seen({}, now)
    set.list({}, now)
    expect(set.runner()).toBeUndefined()
  })

  it('ignores a pod that is removed until a list does not have it', () => {
    const set = open()
    set.seen({ end: ended })
    set.remove({ kind: 'ended' })
    set.outcome({ action: 'delete-runner', runner: a, result: { is: 'deleted' } })
    set.list({ [a]: podFacts({ end: ended }) })
    expect(set.runner()).toBeUndefined()
    set.list()
    set.seen()
    expect(set.phase()).toBe('starting')
  })

  it('looks at the registrations once more some time after it has gone, because a list may be old', () => {
    const set = open()
    set.list()
    set.seen()
    set.listed([])
    set.gone({}, now + 1_000)
    const lookAt = now + 1_000 + limits.lastLookMs
    expect(set.world(lookAt).leftAt).toBe(now + 1_000)
    set.listed([], lookAt - 1)
    set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 0 }, at: lookAt }, lookAt)
    const asks = (at: number) => decide(set.world(at), limits, at, ids).actions.map(({ kind }) => kind)
    expect(asks(lookAt)).toContain('list-registrations')
    set.listed([registration(a)], lookAt)
    expect(asks(lookAt + 1)).not.toContain('list-registrations')
    expect(set.pending()).toMatchObject([{ name: a }])
  })

  it('ignores late events of a pod that is removed, until its deletion is reported', () => {
    const set = open()
    set.seen({ end: ended })
    set.remove({ kind: 'ended' })
    set.outcome({ action: 'delete-runner', runner: a, result: { is: 'deleted' } })
    set.seen({ end: ended, deletionDeadline: now })
    expect(set.runner()).toBeUndefined()
    set.gone()
    set.seen()
    expect(set.phase()).toBe('starting')
  })

  it('reports a start and an end once', () => {
    const set = open()
    expect(kindsOf(set.seen({ startedAt: now }))).toEqual(['runner-started'])
    expect(set.seen({ startedAt: now })).toEqual([])
    expect(kindsOf(set.seen({ startedAt: now, end: ended }))).toEqual(['runner-ended'])
    expect(set.seen({ startedAt: now, end: ended })).toEqual([])
  })

  it('takes a result that only the deletion carries', () => {
    const set = open()
    set.seen({ startedAt: now })
    const events = set.gone({ startedAt: now, end: { exitCode: 137, reason: 'OOMKilled', at: now } })
    expect(kindsOf(events)).toEqual(['runner-ended', 'runner-failed', 'runner-gone'])
    expect(events[1]).toMatchObject({ failure: { reason: 'out-of-memory' } })
  })

  it('reports a pod that vanished, with its node', () => {
    const set = open()
    set.seen({ startedAt: now, node: 'node-1' })
    expect(set.gone({ startedAt: now, node: 'node-1' })[0]).toMatchObject({
      failure: { reason: 'pod-vanished', message: 'it was on node node-1' },
    })
    set.seen({ node: undefined })
    expect(set.gone({ node: undefined })[0]).toMatchObject({ failure: { message: 'it was on no node yet' } })
  })

  it('reports who ended a pod that vanished, if the pod said so before', () => {
    const set = open()
    const disrupted = { reason: 'evicted', message: 'EvictionByEvictionAPI: drain', since: now } as const
    set.seen({ startedAt: now, disrupted })
    const failure = { reason: 'evicted', message: 'EvictionByEvictionAPI: drain' }
    expect(set.gone({ startedAt: now, disrupted })[0]).toMatchObject({ failure })
  })

  it('counts a pod that vanished without a job, and keeps the job of one that had it', () => {
    const set = open()
    set.seen({ startedAt: now })
    set.gone({ startedAt: now })
    expect([set.state.history.failuresInARow, set.world().departed]).toEqual([1, []])
    const busy = open()
    busy.seen({ startedAt: now })
    busy.event({ kind: 'job-started', runner: a, job, at: now, queuedAt: undefined })
    busy.gone({ startedAt: now })
    expect(busy.world().departed).toMatchObject([{ name: a, jobOpen: true }])
    expect(busy.state.history).toMatchObject({ failuresInARow: 0, last: { reason: 'pod-vanished' } })
  })

  it('reports whether a runner that is gone had ended', () => {
    const set = open()
    set.seen({ startedAt: now })
    expect(set.gone({ startedAt: now, end: ended }).at(-1)).toMatchObject({ kind: 'runner-gone', because: 'ended' })
    set.seen({ startedAt: now })
    expect(set.gone({ startedAt: now }).at(-1)).toMatchObject({ kind: 'runner-gone', because: 'removed' })
  })

  it('takes the registration of a pod from its annotation, unless it is known', () => {
    const set = open()
    set.seen({ registrationId: undefined })
    expect(set.runner()?.registration.is).toBe('unknown')
    set.seen({ registrationId: '8' })
    expect(set.runner()?.registration).toMatchObject({ value: { id: '8' } })
    set.seen({ registrationId: '9' })
    expect(set.runner()?.registration).toMatchObject({ value: { id: '8' } })
  })

  it('calls a pod that we deleted no failure', () => {
    const set = open()
    set.seen({ startedAt: now })
    set.remove({ kind: 'surplus' })
    expect(kindsOf(set.gone({ startedAt: now }))).toEqual(['runner-gone'])
    expect(set.state.history.failuresInARow).toBe(0)
  })

  it('takes a deletion that was under way at first sight for an earlier leader’s', () => {
    const set = open()
    set.seen({ startedAt: now, deletionDeadline: now })
    expect(kindsOf(set.gone({ startedAt: now, end: { ...ended, exitCode: 143 } }))).toEqual([
      'runner-ended',
      'runner-gone',
    ])
  })

  it('forgets the causes that a pod has left behind', () => {
    const set = open()
    set.seen({ progressedAt: now })
    const { state } = set
    const cause = { reason: 'unschedulable', message: 'm', since: now } as const
    set.outcome({ action: 'explain-runner', runner: a, result: { is: 'explained', cause } })
    const mark = { runner: a, is: 'delayed', failure: cause } as const
    set.take({ kind: 'decided', decision: { ...emptyDecision, marks: [mark] } })
    expect(state.table.delays()).toEqual({ count: 1, oldest: cause })
    set.seen({ progressedAt: now })
    expect(set.runner()).toMatchObject({ explained: cause, delay: cause })
    set.seen({ progressedAt: now + 1 })
    expect(set.runner()).toMatchObject({ explained: undefined, explainedAt: undefined, delay: undefined })
    expect(state.table.delays()).toBeUndefined()
  })

  it('forgets the causes of a start when the container starts', () => {
    const set = open()
    set.seen({ progressedAt: now })
    const cause = { reason: 'unschedulable', message: 'm', since: now } as const
    set.outcome({ action: 'explain-runner', runner: a, result: { is: 'explained', cause } })
    set.seen({ progressedAt: now, startedAt: now })
    expect(set.runner()).toMatchObject({ explained: undefined, explainedAt: undefined })
  })

  it('shows a delayed start as the last reason', () => {
    const set = open()
    set.seen()
    const failure: Failure = { reason: 'unschedulable', message: 'm' }
    const event = { kind: 'runner-delayed', namespace: 'ci', set: 'linux', runner: a, failure, since: now } as const
    set.take({ kind: 'decided', decision: { ...emptyDecision, events: [event] } })
    expect(set.state.history.last).toMatchObject({ reason: 'unschedulable', runner: a })
  })

  it('knows the counts only after a complete list, and while the watch is up', () => {
    const set = open()
    expect(set.world().counts.known).toBe(false)
    set.list()
    expect(set.world().counts.known).toBe(true)
    set.take({ kind: 'pods-stale', since: now, why: 'down' })
    expect(set.world().counts).toMatchObject({ known: false, why: 'down' })
    set.take({ kind: 'pods-current', at: now })
    expect(set.world().counts.known).toBe(true)
  })
})

describe('ends', () => {
  const running = { startedAt: now - seconds(60) }

  it('keeps a runner whose end has begun out of capacity, and out of the next choice', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    expect(set.phase()).toBe('spent')
    expect(set.state.table.counts()).toMatchObject({ idle: 0, spent: 1, occupied: 1 })
    expect(set.state.table.oldestWaiting(9)).toEqual([])
  })

  it('deletes after the forge removed the registration, and leaves no pending removal', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'removed' } })
    expect(set.tick().actions).toContainEqual(expect.objectContaining({ kind: 'delete-runner', runner: a }))
    set.outcome({ action: 'delete-runner', runner: a, result: { is: 'deleted' } })
    expect([set.runner(), set.pending()]).toEqual([undefined, []])
  })

  it('asks no more when the forge does not know the runner', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    expect(set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'absent' } })).toEqual([])
    expect(set.runner()).toMatchObject({ ending: { answer: 'absent', failures: 0 }, registration: { is: 'present' } })
    expect(set.phase()).toBe('spent')
  })

  it('asks again when a later list shows the registration that the forge called absent', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'absent' } }, now)
    set.listed([registration(a)], now - 1)
    expect(set.runner()?.ending?.answer).toBe('absent')
    set.listed([registration(a)], now + 1)
    expect(set.runner()?.ending?.answer).toBe('unasked')
    expect(set.tick().actions).toContainEqual(expect.objectContaining({ kind: 'deregister-runner', runner: a }))
  })

  it('stays as it is after an aborted deregistration', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    const before = set.runner()
    expect(set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'aborted' } })).toEqual([])
    expect(set.runner()).toEqual(before)
  })

  it('keeps the forge’s answer when only the deletion fails', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    set.outcome({ action: 'deregister-runner', runner: a, result: refused(unreachable) })
    expect(set.runner()?.ending).toMatchObject({ answer: 'refused', failures: 1 })
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'removed' } })
    set.outcome({ action: 'delete-runner', runner: a, result: refused(unavailable) })
    expect(set.runner()?.ending).toMatchObject({ answer: 'removed', failures: 1 })
  })

  it('counts no departed runner while it lives', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    expect(set.world().departed).toEqual([])
  })

  it('lets a runner live on that the forge reports as busy', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'busy' } })
    expect([set.phase(), set.runner()?.ending]).toEqual(['busy', undefined])
  })

  it('goes on with the end of a busy runner that exceeded its life', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'life-exceeded' })
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'busy' } })
    expect(set.runner()?.ending).toMatchObject({ answer: 'busy' })
    expect(set.world().departed).toMatchObject([{ name: a }])
  })

  it('gives up an end when a job arrives', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    set.event({ kind: 'job-started', runner: a, job, at: now, queuedAt: undefined })
    expect([set.phase(), set.runner()?.ending]).toEqual(['busy', undefined])
  })

  it('goes on with an end whose pod is already deleted', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.remove({ kind: 'surplus' })
    set.event({ kind: 'job-started', runner: a, job, at: now, queuedAt: undefined })
    expect(set.runner()?.ending).toBeDefined()
  })

  it('repeats a refused removal after a back-off that doubles', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    const waits: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      set.outcome({ action: 'deregister-runner', runner: a, result: refused(unreachable) })
      waits.push((set.runner()?.ending?.retryAt ?? 0) - now)
    }
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index)
      expect(wait).toBeLessThanOrEqual(1_000 * 2 ** index)
    }
  })

  it.each([
    ['a Retry-After', now + seconds(300), seconds(300)],
    ['a Retry-After far in the future', now + 9e12, limits.retryAfterMaxMs],
  ])('waits for %s', (_name, retryAt, wait) => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    set.outcome({ action: 'deregister-runner', runner: a, result: refused(unreachable, retryAt) })
    expect(set.runner()?.ending?.retryAt).toBe(now + wait)
  })

  it('sends a deletion again that brought no event', () => {
    const set = open()
    set.list({ [a]: podFacts({ end: ended }) })
    set.remove({ kind: 'ended' })
    set.outcome({ action: 'delete-runner', runner: a, result: { is: 'deleting' } })
    expect(set.runner()?.ending?.retryAt).toBe(now + limits.deleteAgainMs)
    set.outcome({ action: 'delete-runner', runner: a, result: { is: 'conflict' } })
    expect(set.runner()).toMatchObject({ deleted: false, ending: { failures: 1 } })
    const [event] = set.outcome({ action: 'delete-runner', runner: a, result: refused(unavailable) })
    expect(event).toMatchObject({ kind: 'write-failed', action: `delete-runner ${a}` })
    expect(set.runner()?.ending).toMatchObject({ failures: 2 })
    set.outcome({ action: 'delete-runner', runner: a, result: { is: 'aborted' } })
    expect(set.runner()?.ending).toMatchObject({ failures: 2 })
  })

  it('counts a failed start once, when its end begins', () => {
    const set = open()
    set.list({ [a]: podFacts() })
    const failure: Failure = { reason: 'image-missing', message: 'x' }
    set.end({ kind: 'start-failed', failure })
    set.end({ kind: 'start-failed', failure })
    expect(set.state.history).toMatchObject({ failuresInARow: 1, last: { reason: 'image-missing', runner: a } })
  })

  it('looks at no runner with an action under way', () => {
    const set = open()
    set.list({ [a]: podFacts(running) })
    set.end({ kind: 'surplus' })
    set.seen({ ...running, resourceVersion: '2' })
    expect(set.world().attention).toEqual([])
    set.outcome({ action: 'deregister-runner', runner: a, result: { is: 'aborted' } })
    expect(set.world().attention.map(({ name }) => name)).toEqual([a])
  })

  it('looks up why a pod does not end, and marks it as stuck, which frees its place', () => {
    const set = open()
    set.list({ [a]: podFacts({ deletionDeadline: now - seconds(60) }) })
    expect(set.tick().actions).toContainEqual({ kind: 'explain-runner', runner: a, podUid: 'uid' })
    const cause = { reason: 'finalizer-left', message: 'acme.com/keep', since: now - seconds(60) } as const
    set.outcome({ action: 'explain-runner', runner: a, result: { is: 'explained', cause } })
    const [mark] = set.tick().marks
    expect(mark).toMatchObject({ runner: a, is: 'stuck', failure: { reason: 'finalizer-left' } })
    expect(set.world()).toMatchObject({
      stuck: { count: 1, oldest: { reason: 'finalizer-left' } },
      counts: { value: { spent: 1, occupied: 0 } },
    })
    expect(set.state.history.last).toMatchObject({ reason: 'finalizer-left' })
    set.gone()
    expect(set.world().stuck).toBeUndefined()
  })

  it('shows a stuck runner no longer as held up', () => {
    const set = open()
    const deleted = { ...running, deletionDeadline: now - seconds(60), node: 'n', nodeSilentSince: now - seconds(90) }
    set.list({ [a]: podFacts({ ...deleted, deletionDeadline: now + seconds(1) }) })
    set.tick()
    expect(set.world()).toMatchObject({ delays: { count: 1, oldest: { reason: 'node-lost' } }, stuck: undefined })
    set.seen({ ...deleted, resourceVersion: '2' })
    set.tick()
    const cause = { reason: 'node-lost', message: 'node n', since: now - seconds(60) } as const
    set.outcome({ action: 'explain-runner', runner: a, result: { is: 'explained', cause } })
    set.tick()
    expect(set.world()).toMatchObject({ delays: undefined, stuck: { count: 1, oldest: { reason: 'node-lost' } } })
  })

  it('marks a pod as stuck although nothing could be looked up', () => {
    const set = open()
    set.list({ [a]: podFacts({ deletionDeadline: now - seconds(60) }) })
    set.tick()
    set.outcome({ action: 'explain-runner', runner: a, result: refused(unavailable) })
    expect(set.tick().marks).toMatchObject([{ runner: a, failure: { reason: 'termination-stuck' } }])
  })
})
