import { describe, expect, it } from 'vitest'
import type { Decision } from '../model/action.ts'
import type { FailureReason } from '../model/failure.ts'
import type { History, PendingRemoval, RetryKey, SetWorld } from '../model/world.ts'
import { decide } from './decide.ts'
import { templateHash } from './pod.ts'
import { retryWaitMs } from './retry.ts'
import { noHistory } from './state/history.ts'
import { ended, ids, job, limits, now, registration, runner, runnerSet, startsIn, world } from './world.fixture.ts'

/** Returns a decision as a row of a table shows it. */
function shown(decision: Decision): string {
  const count = startsIn(decision)
  const starts = count > 0 ? [`start ${count}`] : []
  const others = decision.actions.filter(({ kind }) => kind !== 'start-runner')
  const parts = others.map((action) => {
    if ('because' in action) return `${action.kind.replace('-runner', '')} ${action.runner} (${action.because.kind})`
    if (action.kind === 'drop-registration') return `drop ${action.registration.name}`
    return 'runner' in action ? `${action.kind} ${action.runner}` : action.kind
  })
  const wake = decision.wakeAt === undefined ? [] : [`wake +${(decision.wakeAt - now) / 1_000} s`]
  return [...parts, ...starts, ...wake].join(', ') || 'nothing'
}

const demand = (jobs: number, at = now): Partial<SetWorld> => ({
  demand: { known: true, value: { kind: 'assigned', jobs }, at },
})
const unknown = { known: false, since: now - 20_000, why: 'no answer' } as const
const idle = (name: string, age = 60_000) => runner(name, { createdAt: now - age, startedAt: now - age + 1_000 })
const online = (name: string) => ({
  ...idle(name),
  registration: { is: 'present', value: registration(name, { status: 'online' }), at: now } as const,
})
const busy = (name: string) => runner(name, { startedAt: now - 50_000 }, { job })
const requested = (name: string) => runner(name, {}, { pod: { is: 'requested', since: now } })
const over = (name: string, more: object = { job }) => runner(name, { startedAt: now - 50_000, end: ended }, more)
const quiet = { quietSince: now - 61_000 }
const failing = (
  failuresInARow: number,
  retryAt: number | undefined,
  more: Partial<History> = {},
): Partial<SetWorld> => {
  const last = { reason: 'image-missing', message: 'x', at: now, runner: 'a' } as const
  const history = { ...noHistory, last, failuresInARow, rounds: 1, failedAt: now, retryAt, ...more }
  return { history }
}
const refused = (reason: FailureReason = 'template-invalid'): Partial<SetWorld> => {
  const { templateHash } = world([])
  return {
    template: { is: 'refused', hash: templateHash, failure: { reason, message: 'spec…' }, at: now, refusals: 1 },
  }
}

const removal = (name: string, dueAt: number, more: Partial<PendingRemoval> = {}): PendingRemoval => ({
  registration: registration(name),
  dueAt,
  early: false,
  busy: false,
  underway: false,
  failures: 0,
  ...more,
})

const spent = (name: string) =>
  runner(name, { startedAt: now - 50_000 }, { job: { ...job, finished: { result: 'succeeded', at: now } } })
/** Its deregistration is under way, so a tick does not look at it. */
const leaving = (name: string) => {
  const retryAt = now + 60_000
  return runner(
    name,
    { startedAt: now - 50_000 },
    {
      ending: { because: { kind: 'surplus' }, answer: 'unasked', failures: 0, retryAt },
    },
  )
}
const failedStart = (name: string) =>
  runner(name, { startFailure: { reason: 'image-invalid', message: 'x', since: now - 1_000 } })
const waits = (call: RetryKey, ms = 7_000) => ({ [call]: { failures: 1, retryAt: now + ms } })
const refusedFor = (reason: FailureReason, ageMs: number, refusals = 1): Partial<SetWorld> => {
  const { template } = refused(reason)
  return { template: template?.is === 'refused' ? { ...template, at: now - ageMs, refusals } : undefined }
}

const paused = runnerSet({ paused: true })
const noCall = { 'check-template': false, 'list-registrations': false, report: false }

const rows: readonly (readonly [string, SetWorld, string | RegExp])[] = [
  ['demand 3 and no runner, by a complete list', world([], demand(3)), 'start 3'],
  ['demand 3, one requested', world([requested('a')], demand(3)), 'start 2'],
  ['demand 3, one starting, one idle', world([runner('a', { createdAt: now }), idle('b')], demand(3)), 'start 1'],
  [
    'demand unknown for 20 s, 4 busy, 2 idle',
    world([...'abcd'].map(busy).concat([idle('e'), idle('f')]), { demand: unknown, ...quiet }),
    'nothing',
  ],
  ['demand too old to be believed', world([], demand(3, now - 301_000)), 'nothing'],
  ['demand just young enough', world([], demand(3, now - 300_000)), 'start 3'],
  ['demand 3, counts unknown', world([], { ...demand(3), counts: unknown }), 'nothing'],
  ['demand 0, quiet for too short a time, 2 idle', world([idle('a'), idle('b')], demand(0)), 'wake +59 s'],
  [
    'demand 0, quiet for just long enough',
    world([idle('a')], { ...demand(0), quietSince: now - 60_000 }),
    'deregister a (surplus)',
  ],
  [
    'demand 0, quiet, 2 idle',
    world([idle('a', 90_000), idle('b')], { ...demand(0), ...quiet }),
    'deregister a (surplus), deregister b (surplus)',
  ],
  [
    'demand 1, quiet, 2 idle: the older',
    world([idle('a', 90_000), idle('b')], { ...demand(1), ...quiet }),
    'deregister a (surplus)',
  ],
  [
    'demand 0, quiet, min 1',
    world([idle('a')], { ...demand(0), ...quiet, set: runnerSet({ scale: { min: 1, max: 5 } }) }),
    'nothing',
  ],
  ['paused, with a demand', world([], { ...demand(3), set: paused }), 'nothing'],
  [
    'paused, demand unknown, not quiet: every runner without a job',
    world([idle('a'), busy('b'), idle('c')], { demand: unknown, set: paused }),
    'deregister a (surplus), deregister c (surplus)',
  ],
  [
    'paused by a ceiling of 0',
    world([idle('a')], { demand: unknown, set: runnerSet({ scale: { min: 0, max: 0 } }) }),
    'deregister a (surplus)',
  ],
  ['paused, counts unknown', world([idle('a')], { demand: unknown, counts: unknown, set: paused }), 'nothing'],
  [
    'paused, and registrations have not been listed',
    world([], { demand: unknown, set: paused, registrationsAt: undefined }),
    'list-registrations',
  ],
  ['demand 0, quiet, 1 busy', world([busy('a')], { ...demand(0), ...quiet }), 'nothing'],
  [
    'an end after the demand was read: its job is still in the number',
    world([busy('a'), busy('b'), over('c')], {
      ...demand(3, now - 2_000),
      departed: [{ name: 'c', at: now - 1_000, hadJob: true, jobOpen: true, endedWell: false }],
    }),
    'delete c (ended)',
  ],
  [
    'a runner is gone, and its job is still assigned',
    world([], {
      ...demand(1),
      departed: [{ name: 'a', at: now - 60_000, hadJob: true, jobOpen: true, endedWell: false }],
    }),
    'nothing',
  ],
  [
    'the same after the lease of the job',
    world([], {
      ...demand(1),
      departed: [{ name: 'a', at: now - 901_000, hadJob: true, jobOpen: true, endedWell: false }],
    }),
    'start 1',
  ],
  [
    'the same when the lease of the job ends',
    world([], {
      ...demand(1),
      departed: [{ name: 'a', at: now - 900_000, hadJob: true, jobOpen: true, endedWell: false }],
    }),
    'start 1',
  ],
  [
    'a runner is gone without a known job, and the demand is not newer',
    world([], {
      ...demand(1, now - 1_000),
      departed: [{ name: 'a', at: now - 1_000, hadJob: true, jobOpen: false, endedWell: true }],
    }),
    'nothing',
  ],
  [
    'the same with a newer demand',
    world([], {
      ...demand(1, now - 999),
      departed: [{ name: 'a', at: now - 6_000, hadJob: true, jobOpen: false, endedWell: true }],
    }),
    'start 1',
  ],
  [
    'allowance 3 of 3, and more later',
    world([], { ...demand(3), allowance: { now: 3, nextAt: now + 4_000 } }),
    'start 3',
  ],
  ['template refused for the first time', world([], { ...demand(2), ...refused() }), 'wake +15 s'],
  ['template not checked yet', world([], { ...demand(2), template: undefined }), 'check-template'],
  [
    'template under check',
    world([], {
      ...demand(2),
      template: undefined,
      underway: { 'check-template': true, 'list-registrations': false, report: true },
    }),
    'nothing',
  ],
  ['the wait of a failed start is over', world([], { ...demand(3), ...failing(1, now) }), 'start 3'],
  [
    'after three failures none joins one that runs and has not been seen online',
    world([idle('a')], { ...demand(5), ...failing(3, now - 1) }),
    'nothing',
  ],
  [
    'after three failures one joins a runner that is online',
    world([online('a')], { ...demand(5), ...failing(3, now - 1) }),
    'start 1',
  ],
  ['after two failures, the back-off over', world([], { ...demand(5), ...failing(2, now - 1) }), 'start 5'],
  [
    'failures that are long ago do not count',
    world([], { ...demand(5), ...failing(3, now + 1, { failedAt: now - limits.failureMemoryMs - 1 }) }),
    'start 5',
  ],
  ['the forge allows a registration again', world([], { ...demand(2), retries: waits('register', 0) }), 'start 2'],
  [
    'no runner is missing: the wait for a registration wakes nothing',
    world([idle('a')], { ...demand(1), retries: waits('register') }),
    'nothing',
  ],
  [
    'a stuck pod whose job is still counted is no capacity',
    world([{ ...busy('a'), stuck: { reason: 'node-lost', message: '', since: now } }], {
      ...demand(2),
      set: runnerSet({ scale: { min: 0, max: 1 } }),
    }),
    'start 1',
  ],
  [
    'a pod that is stuck counts no longer against max',
    world([{ ...spent('a'), stuck: { reason: 'termination-stuck', message: '', since: now } }, spent('b')], {
      ...demand(3),
      set: runnerSet({ scale: { min: 0, max: 3 } }),
    }),
    'start 2',
  ],
  [
    'a finished pod that is kept does not count against max',
    world([runner('a', { end: ended, finished: true }, { job })], {
      ...demand(1),
      set: runnerSet({ scale: { min: 0, max: 1 }, keepFinishedMs: 60_000 }),
    }),
    'start 1',
  ],
  [
    'a runner whose end is under way is neither living nor a candidate',
    world([leaving('a'), idle('b'), idle('c')], { ...demand(2), ...quiet }),
    'nothing',
  ],
  [
    'six idle, three too many, three already ending',
    world([leaving('a'), leaving('b'), leaving('c'), idle('d'), idle('e'), idle('f')], { ...demand(3), ...quiet }),
    'nothing',
  ],
  [
    'a runner that fails to start is no surplus as well',
    world([failedStart('a'), idle('b')], { ...demand(1), ...quiet }),
    'deregister a (start-failed)',
  ],
  [
    'a list that failed waits',
    world([], { registrationsAt: undefined, retries: waits('list-registrations') }),
    'wake +7 s',
  ],
  [
    'a list that failed is repeated after its wait',
    world([], { registrationsAt: undefined, retries: waits('list-registrations', 0) }),
    'list-registrations',
  ],
  [
    'an idle runner may be a ghost, and the last list is a minute old',
    world([idle('a', 90_000)], { ...demand(1), registrationsAt: now - 60_000 }),
    'list-registrations',
  ],
  ['a check that failed waits', world([], { template: undefined, retries: waits('check-template') }), 'wake +7 s'],
  ['a refusal that may pass is checked again', world([], refusedFor('quota-exceeded', 46_000)), 'check-template'],
  ['a refusal that may pass is not checked at once', world([], refusedFor('quota-exceeded', 2_000)), /^wake/],
  [
    'a refusal that may pass is checked again when its wait ends',
    world([], refusedFor('quota-exceeded', retryWaitMs('quota-exceeded', 1, templateHash(runnerSet())) ?? 0)),
    'check-template',
  ],
  [
    'a second refusal of the template itself waits for a change',
    world([], refusedFor('template-invalid', 20_000, 2)),
    'wake +40 s',
  ],
  [
    'after a minute the rules of the cluster may have changed',
    world([], refusedFor('template-invalid', 60_000, 2)),
    'check-template',
  ],
  [
    'one pending removal is due, another is not',
    world([], { pendingRemovals: [removal('x', now), removal('y', now + 5_000)] }),
    'drop x, wake +5 s',
  ],
  [
    'a list shows whether a lost runner is still busy, a minute after the last one',
    world([], { registrationsAt: now - 60_000, pendingRemovals: [removal('x', now + 600_000, { busy: true })] }),
    'list-registrations, wake +600 s',
  ],
  [
    'a list that is younger answers for all lost runners',
    world([], { registrationsAt: now - 50_000, pendingRemovals: [removal('x', now + 600_000, { busy: true })] }),
    'wake +10 s',
  ],
  [
    'the set waits for three times: the first counts',
    world([], {
      ...demand(1),
      retries: { ...waits('register', 6_000), ...waits('check-template', 3_000) },
      template: undefined,
      pendingRemovals: [removal('x', now + 5_000), removal('y', now + 4_000)],
    }),
    'wake +3 s',
  ],
  ['a status was never written', world([], { underway: noCall }), 'report'],
  [
    'a status that was not written a second ago',
    world([], { underway: noCall, reported: { status: undefined, at: now - 1_000 } }),
    'report',
  ],
  [
    'a status that was not written just now',
    world([], { underway: noCall, reported: { status: undefined, at: now - 400 } }),
    'wake +0.6 s',
  ],
  [
    'a pending removal is under way',
    world([], { pendingRemovals: [removal('x', now, { underway: true })] }),
    'nothing',
  ],
  [
    'a runner may have left too early: only a new list shows it',
    world([], { pendingRemovals: [removal('x', now, { early: true })] }),
    'list-registrations',
  ],
  [
    'no registration is removed while the pods are unknown',
    world([], { counts: unknown, pendingRemovals: [removal('x', now)] }),
    'nothing',
  ],
  ['registrations were never listed', world([], { registrationsAt: undefined }), 'list-registrations'],
  [
    'registrations were never listed, and the pods are unknown',
    world([], { registrationsAt: undefined, counts: unknown }),
    'nothing',
  ],
  [
    'registrations were never listed, and the demand is unknown',
    world([], { registrationsAt: undefined, demand: unknown }),
    'nothing',
  ],
  [
    'the last runner left a while ago, and the last list is older',
    world([], { leftAt: now - limits.lastLookMs, registrationsAt: now - 1 }),
    'list-registrations',
  ],
  [
    'the last runner left a while ago, and a list was made since',
    world([], { leftAt: now - limits.lastLookMs - 1, registrationsAt: now - 1 }),
    'nothing',
  ],
  ['the last runner left a moment ago', world([], { leftAt: now - 1_000 }), 'wake +599 s'],
  [
    'the last runner left a while ago, and the forge fails',
    world([], {
      leftAt: now - limits.lastLookMs,
      registrationsAt: now - 1,
      forgeFailure: { reason: 'forge-unreachable', message: '', since: now },
    }),
    'nothing',
  ],
  ['registrations in doubt', world([], { registrationsDoubtful: true }), 'list-registrations'],
  [
    'registrations in doubt, forge failing',
    world([], { registrationsDoubtful: true, forgeFailure: { reason: 'forge-unreachable', message: '', since: now } }),
    'nothing',
  ],
]

describe('decide', () => {
  it.each(rows)('%s', (_name, given, expected) => {
    const row = shown(decide(given, limits, now, ids))
    if (typeof expected === 'string') expect(row).toBe(expected)
    else expect(row).toMatch(expected)
  })

  it('replaces an ended runner whose job is not counted any more', () => {
    const given = world([over('c', {})], demand(1))
    expect(shown(decide(given, limits, now, ids))).toBe('delete c (ended), start 1')
  })

  it('looks again at a runner when its step says so', () => {
    const { due } = decide(world([idle('a'), busy('b')], demand(2)), limits, now, ids)
    expect(due).toEqual([{ runner: 'a', at: now + limits.listRegistrationsMs }])
  })

  it('gives the same bytes for the same world', () => {
    const given = world([idle('b'), busy('a')], demand(4))
    expect(JSON.stringify(decide(given, limits, now, ids))).toBe(JSON.stringify(decide(given, limits, now, ids)))
  })

  it('ends one ghost at a time', () => {
    const ghost = (name: string) =>
      runner(
        name,
        { startedAt: now - 400_000 },
        {
          registration: { is: 'absent', at: now - 10_000 },
          registrationMissingSince: now - 140_000,
        },
      )
    const decision = decide(world([ghost('a'), ghost('b')], demand(2)), limits, now, ids)
    expect(shown(decision)).toBe('delete a (ghost)')
    expect(decision.due).toContainEqual({ runner: 'b', at: now + limits.listRegistrationsMs })
  })
})

describe('case 71: target of min, max, assigned', () => {
  const unlimited = 2 ** 31 - 1
  it.each([
    [0, unlimited, 0, 0],
    [0, unlimited, 1, 1],
    [1, unlimited, 0, 1],
    [1, unlimited, 3, 4],
    [0, 5, 6, 5],
    [2, 5, 1, 3],
    [2, 5, 5, 5],
    [2, 5, 0, 2],
  ])('case 71: min %i max %i assigned %i -> %i', (min, max, jobs, target) => {
    const decision = decide(world([], { ...demand(jobs), set: runnerSet({ scale: { min, max } }) }), limits, now, ids)
    expect(startsIn(decision)).toBe(target)
  })
})
