import { expect, it } from 'vitest'
import type { Demand } from '../model/demand.ts'
import type { Registration } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'
import { a, emptyDecision, job, open, seconds } from './state/state.fixture.ts'
import { failureOfUnassigned, unassignedOf } from './unassigned.ts'
import { limits, now, podFacts, registration, runner, world } from './world.fixture.ts'

const listed = (name: string, over: Partial<Registration>) => {
  return { registration: { is: 'present', value: registration(name, over), at: now } } as const
}
const online = (name: string) => runner(name, { startedAt: now }, listed(name, { status: 'online', busy: false }))
const offline = runner('o', { startedAt: now }, listed('o', { status: 'offline', busy: false }))
const unseen = runner('u', { startedAt: now })
const busy = runner('b', { startedAt: now }, { job: { ...job, startedAt: now, finished: undefined } })
const demand = (value: Demand, at = now): Partial<SetWorld> => ({ demand: { known: true, value, at } })
const assigned = (jobs: number) => demand({ kind: 'assigned', jobs })
const gone = { name: 'g', at: now, hadJob: true, jobOpen: true, endedWell: false }
const before = { jobs: 9, runners: 9, since: now - 1 }

it.each<[string, SetWorld, { readonly jobs: number; readonly runners: number } | undefined]>([
  ['jobs wait and runners are online', world([online('x'), online('y')], assigned(3)), { jobs: 3, runners: 2 }],
  ['a job runs, and no other waits', world([online('x'), busy], assigned(1)), undefined],
  ['a job waits beside one that runs', world([online('x'), busy], assigned(2)), { jobs: 1, runners: 1 }],
  [
    'the job of a runner that is gone is counted',
    world([online('x')], { ...assigned(1), departed: [gone] }),
    undefined,
  ],
  ['no runner has been seen online', world([offline, unseen], assigned(2)), undefined],
  ['the queue is seen', world([online('x'), busy], demand({ kind: 'queued', jobs: 1 })), { jobs: 1, runners: 1 }],
  ['no queue is seen', world([online('x')], demand({ kind: 'utilisation', busy: 3, idle: 0 })), undefined],
])('%s', (_title, facts, found) => {
  expect(unassignedOf(facts, undefined, limits, now)).toEqual(found && { ...found, since: now })
  expect(unassignedOf(facts, before, limits, now)).toEqual(found && { ...found, since: before.since })
})

it.each<[string, Partial<SetWorld>]>([
  ['the demand', { demand: { known: false, since: now, why: '' } }],
  ['a fresh demand', demand({ kind: 'assigned', jobs: 0 }, now - limits.demandAgeMs - 1)],
  ['the pods', { counts: { known: false, since: now, why: '' } }],
])('changes nothing without %s', (_title, over) => {
  expect(unassignedOf(world([online('x')], over), before, limits, now)).toBe(before)
})

const idle = registration(a, { status: 'online', busy: false })

/** A set with one online runner and a job that waits. */
function opened() {
  const set = open()
  set.list({ [a]: podFacts({ startedAt: now }) })
  set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 1 }, at: now })
  set.listed([idle])
  /** Looks at the set, and folds only what the look says of unassigned jobs. */
  const look = (at: number) => {
    const seen = set.world(at)
    set.take({ kind: 'decided', decision: { ...emptyDecision, unassigned: seen.unassigned } }, at)
    return seen
  }
  look(now)
  const shown = (at: number) => {
    set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 1 }, at }, at)
    return failureOfUnassigned(look(at), limits, at)?.reason
  }
  return { ...set, shown }
}
const due = now + limits.unassignedMs

it('is shown after ten minutes, journaled once, and wakes the set for it', () => {
  const set = opened()
  const report = (at: number) => {
    const { actions, events } = set.tick(at)
    const [status] = actions.flatMap((action) => (action.kind === 'report' ? [action.status] : []))
    if (status) set.outcome({ action: 'report', status, result: { is: 'written' } }, at)
    return { status, events }
  }
  expect(set.shown(due - seconds(5))).toBeUndefined()
  expect(report(due - seconds(5)).events).toEqual([])
  expect(set.tick(due - seconds(5)).wakeAt).toBe(due)
  expect(set.shown(due)).toBe('forge-assigns-nothing')
  expect(report(due)).toMatchObject({
    status: { lastReason: 'forge-assigns-nothing', problems: [{ kind: 'assignment' }] },
    events: [{ kind: 'forge-failed', failure: { reason: 'forge-assigns-nothing' } }],
  })
  set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 2 }, at: due }, due + seconds(30))
  expect(report(due + seconds(30))).toMatchObject({ status: { demand: 2 }, events: [] })
})

it.each<[string, (set: ReturnType<typeof opened>, at: number) => void]>([
  ['a job starts', (set, at) => set.event({ kind: 'job-started', runner: 'other', job, at, queuedAt: at }, at)],
  ['a list shows a busy runner', (set, at) => set.listed([{ ...idle, busy: true }], at)],
  [
    'the forge failed',
    (set, at) => set.take({ kind: 'forge-failed', failure: { reason: 'forge-unreachable', message: '' } }, at),
  ],
  ['the set was paused', (set, at) => set.take({ kind: 'forge-paused' }, at)],
])('counts again from the moment at which %s', (_title, happens) => {
  const set = opened()
  happens(set, now + seconds(60))
  set.listed([idle], now + seconds(61))
  expect(set.shown(due)).toBeUndefined()
  expect(set.shown(due + seconds(61))).toBeUndefined()
  expect(set.shown(due + limits.unassignedMs)).toBe('forge-assigns-nothing')
})

const version = { version: '2.330.0', from: 'runner', schedule: undefined, minimum: undefined } as const
const endsAt = (at: number) => ({ ...version, schedule: { runtimeEndsAt: at, registrationEndsAt: undefined } })

it.each<[string, SetWorld['runnerVersion'], string]>([
  ['a version that is not known', undefined, 'forge-assigns-nothing'],
  ['a version without a known end', version, 'forge-assigns-nothing'],
  ['a version that ends in a moment', endsAt(now + 1), 'forge-assigns-nothing'],
  ['a version that has ended', endsAt(now), 'runner-outdated'],
  ['a version below the minimum', { ...version, minimum: '2.330.1' }, 'runner-outdated'],
])('the reason with %s', (_title, runnerVersion, reason) => {
  const unassigned = { jobs: 1, runners: 2, since: now - limits.unassignedMs }
  const facts = world([online('x')], { ...assigned(1), unassigned, runnerVersion })
  expect(failureOfUnassigned(facts, limits, now)).toMatchObject({
    reason,
    message: expect.stringContaining('2 runners are online'),
  })
})

it.each([
  [1, 1, '1 job waits, and 1 runner is online without a job.'],
  [2, 3, '2 jobs wait, and 3 runners are online without a job.'],
])('says that %i jobs wait beside %i runners', (jobs, runners, sentence) => {
  const facts = world([], { ...assigned(jobs), unassigned: { jobs, runners, since: now - limits.unassignedMs } })
  expect(failureOfUnassigned(facts, limits, now)?.message).toContain(sentence)
})
