import { describe, expect, it } from 'vitest'
import type { Decision } from '../model/action.ts'
import type { SetWorld } from '../model/world.ts'
import { decide } from './decide.ts'
import { ended, job, limits, now, registration, runner, runnerSet, world } from './world-fixture.ts'

/** A decision as a row of a table shows it. */
function shown(decision: Decision): string {
  const parts = decision.actions.map((action) => {
    switch (action.kind) {
      case 'start-runners':
        return `start ${action.count}`
      case 'end-runner':
        return `end ${action.runner.name} (${action.because.kind})`
      case 'drop-registration':
        return `drop ${action.registration.name}`
      case 'explain-runner':
        return `explain ${action.runner.name}`
      default:
        return action.kind
    }
  })
  const wake = decision.wakeAt === undefined ? [] : [`wake +${(decision.wakeAt - now) / 1_000} s`]
  return [...parts, ...wake].join(', ') || 'nothing'
}

const demand = (jobs: number, at = now): Partial<SetWorld> => ({
  demand: { known: true, value: { kind: 'assigned', jobs }, at },
})
const unknown = { known: false, since: now - 20_000, why: 'no answer' } as const
const idle = (name: string, age = 60_000) =>
  runner(name, { createdAt: now - age, startedAt: now - age + 1_000, phase: 'Running' })
const busy = (name: string) => runner(name, { startedAt: now - 50_000, phase: 'Running' }, { job })
const asked = (name: string) => runner(name, {}, { pod: { is: 'unknown', since: now } })
const over = (name: string, more: object = { job }) => runner(name, { startedAt: now - 50_000, end: ended }, more)
const quiet = { quietSince: now - 61_000 }
const failing = (failuresInARow: number, retryAt: number | undefined): Partial<SetWorld> => ({
  history: { last: { reason: 'image-missing', message: 'x', at: now, runner: 'a' }, failuresInARow, retryAt },
})
const refused = (set = runnerSet()): Partial<SetWorld> => {
  const { templateHash } = world([], { set })
  const failure = { reason: 'template-invalid', message: 'spec…' } as const
  return { template: { known: true, value: { is: 'refused', hash: templateHash, failure, at: now }, at: now } }
}

const rows: readonly (readonly [string, SetWorld, string])[] = [
  ['demand 3, nobody, by a complete list', world([], demand(3)), 'start 3'],
  ['demand 3, one asked for', world([asked('a')], demand(3)), 'start 2'],
  ['demand 3, one starting, one idle', world([runner('a', { createdAt: now }), idle('b')], demand(3)), 'start 1'],
  [
    'demand unknown for 20 s, 4 busy, 2 idle',
    world([...'abcd'].map(busy).concat([idle('e'), idle('f')]), { demand: unknown, ...quiet }),
    'nothing',
  ],
  ['demand too old to be believed', world([], demand(3, now - 301_000)), 'nothing'],
  ['demand 3, counts unknown', world([], { ...demand(3), counts: unknown }), 'nothing'],
  ['demand 0, quiet for too short a time, 2 idle', world([idle('a'), idle('b')], demand(0)), 'wake +59 s'],
  [
    'demand 0, quiet, 2 idle',
    world([idle('a', 90_000), idle('b')], { ...demand(0), ...quiet }),
    'end a (surplus), end b (surplus)',
  ],
  [
    'demand 1, quiet, 2 idle: the older',
    world([idle('a', 90_000), idle('b')], { ...demand(1), ...quiet }),
    'end a (surplus)',
  ],
  [
    'demand 0, quiet, min 1',
    world([idle('a')], { ...demand(0), ...quiet, set: runnerSet({ scale: { min: 1, max: 5 } }) }),
    'nothing',
  ],
  ['demand 0, quiet, 1 busy', world([busy('a')], { ...demand(0), ...quiet }), 'nothing'],
  [
    'an end after the demand was told: its job is still in the number',
    world([busy('a'), busy('b'), over('c')], {
      ...demand(3, now - 2_000),
      departed: [{ name: 'c', at: now - 1_000, jobOpen: true }],
    }),
    'end c (ended)',
  ],
  [
    'its pod is gone while it was busy: no replacement while the job is assigned',
    world([runner('a', {}, { job, pod: { is: 'absent', at: now } })], {
      ...demand(1),
      departed: [{ name: 'a', at: now - 60_000, jobOpen: true }],
    }),
    'end a (lost)',
  ],
  [
    'the same after the lease of the job',
    world([], { ...demand(1), departed: [{ name: 'a', at: now - 901_000, jobOpen: true }] }),
    'start 1',
  ],
  [
    'idle and lost with its node',
    world([runner('a', {}, { pod: { is: 'absent', at: now } })], demand(1)),
    'end a (lost), start 1',
  ],
  [
    'allowance 7 of 50',
    world([], {
      ...demand(50),
      set: runnerSet({ scale: { min: 0, max: 100 } }),
      allowance: { now: 7, nextAt: now + 4_000 },
    }),
    'start 7, wake +4 s',
  ],
  ['ceiling', world([], demand(50)), 'start 10'],
  ['template refused', world([], { ...demand(2), ...refused() }), 'nothing'],
  ['template not checked yet', world([], { ...demand(2), template: unknown }), 'check-template'],
  [
    'template under check',
    world([], {
      ...demand(2),
      template: unknown,
      underway: { checkTemplate: true, askRegistrations: false, report: true },
    }),
    'nothing',
  ],
  [
    'a failed start is waited out, other demand is not',
    world([], { ...demand(3), ...failing(1, now + 2_000) }),
    'start 2, wake +2 s',
  ],
  ['after three failures one goes ahead', world([], { ...demand(5), ...failing(3, now - 1) }), 'start 1'],
  [
    'a debt is due, another is not',
    world([], {
      debts: [
        { registration: registration('x'), dueAt: now, early: false },
        { registration: registration('y'), dueAt: now + 5_000, early: false },
      ],
    }),
    'drop x, wake +5 s',
  ],
  ['registrations were never asked for', world([], { registrationsAt: undefined }), 'ask-registrations'],
  [
    'registrations in doubt, forge troubled',
    world([], { registrationsDoubtful: true, forgeFailure: { reason: 'forge-unreachable', message: '', since: now } }),
    'nothing',
  ],
]

describe('decide', () => {
  it.each(rows)('%s', (_name, given, expected) => {
    expect(shown(decide(given, limits, now))).toBe(expected)
  })

  it('ends what left too early and starts another when nothing owes an answer', () => {
    const given = world([over('c', {})], demand(1))
    expect(shown(decide(given, limits, now))).toBe('end c (ended), start 1')
  })

  it('gives the same bytes for the same world', () => {
    const given = world([idle('b'), busy('a')], demand(4))
    expect(JSON.stringify(decide(given, limits, now))).toBe(JSON.stringify(decide(given, limits, now)))
  })

  it('ends one ghost at a time', () => {
    const ghost = (name: string) =>
      runner(
        name,
        { startedAt: now - 400_000, phase: 'Running' },
        {
          registration: { is: 'absent', at: now - 10_000 },
          registrationMissingSince: now - 140_000,
        },
      )
    const decision = decide(world([ghost('a'), ghost('b')], demand(2)), limits, now)
    expect(shown(decision)).toBe('end a (ghost)')
    expect(decision.due).toContainEqual({ runner: 'b', at: now + limits.registrationsEveryMs })
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
    const decision = decide(world([], { ...demand(jobs), set: runnerSet({ scale: { min, max } }) }), limits, now)
    const starts = decision.actions.flatMap((action) => (action.kind === 'start-runners' ? [action.count] : []))
    expect(starts).toEqual(target === 0 ? [] : [target])
  })
})
