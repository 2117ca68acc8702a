// The causes that hold missing runners back, and how many start nevertheless.
import { describe, expect, it } from 'vitest'
import type { Held, HeldBy } from '../model/held.ts'
import type { History, SetWorld } from '../model/world.ts'
import { decide } from './decide.ts'
import { noHistory } from './state/history.ts'
import { ended, ids, job, limits, now, runner, runnerSet, startsIn, world } from './world.fixture.ts'

const jobs = (count: number): Partial<SetWorld> => ({
  demand: { known: true, value: { kind: 'assigned', jobs: count }, at: now },
})
const failure = { reason: 'image-invalid', message: 'x' } as const
const hash = world([]).templateHash
const failing = (failuresInARow: number, over: Partial<History> = {}): Partial<SetWorld> => ({
  history: { ...noHistory, failuresInARow, failedAt: now, ...over },
})
const upTo = (max: number) => runnerSet({ scale: { min: 0, max } })
const spent = (name: string) => runner(name, { startedAt: now }, { job: { ...job, finished: { result: '', at: now } } })
const later = now + 9_000
const unknown = { known: false, since: now, why: '' } as const
const afterRegister = { register: { failures: 1, retryAt: later } }
const allowing = (most: number, nextAt: number | undefined = later) => ({ allowance: { now: most, nextAt } })
const busy = (name: string) => runner(name, { startedAt: now - 50_000 }, { job })
const held = (count: number | undefined, why: HeldBy): Held => ({ count, why })
const probe = (unproved: number, until?: number): HeldBy => ({ is: 'probe', failures: 3, unproved, until })

type Row = readonly [string, SetWorld, number, Held | undefined]

const rows: readonly Row[] = [
  ['nothing: no runner is missing', world([busy('a')], jobs(1)), 0, undefined],
  ['nothing: all start', world([], jobs(3)), 3, undefined],
  ['nothing: the allowance is just enough', world([], { ...jobs(3), ...allowing(3) }), 3, undefined],
  ['nothing: runners are too many', world([busy('a'), busy('b')], jobs(1)), 0, undefined],
  ['a pause', world([], { ...jobs(3), set: runnerSet({ paused: true }) }), 0, held(undefined, { is: 'paused' })],
  [
    'a pause, with unknown pods',
    world([], { set: runnerSet({ paused: true }), counts: unknown }),
    0,
    held(undefined, { is: 'paused' }),
  ],
  ['an unknown demand', world([], { demand: unknown }), 0, held(undefined, { is: 'demand-unknown' })],
  ['unknown pods', world([], { ...jobs(3), counts: unknown }), 0, held(undefined, { is: 'pods-unknown' })],
  [
    'a template that is not checked',
    world([], { ...jobs(3), template: undefined }),
    0,
    held(3, { is: 'template-unchecked' }),
  ],
  [
    'a refused template',
    world([], { ...jobs(3), template: { is: 'refused', hash, failure, at: now, refusals: 1 } }),
    0,
    held(3, { is: 'template-refused', failure }),
  ],
  [
    'a failure that no runner can avoid',
    world([], { ...jobs(3), ...failing(1, { blocked: failure }) }),
    0,
    held(3, { is: 'blocked', failure }),
  ],
  [
    'a quota that its own pods have used up, one of them ended',
    world([busy('a'), runner('b', { startedAt: now, end: ended, finished: true })], {
      ...jobs(3),
      quotas: [{ name: 'few', hard: { 'count/pods': 3 }, used: { 'count/pods': 2 }, scopes: [] }],
    }),
    1,
    held(1, { is: 'quota', pods: 3, quota: 'few', resource: 'count/pods' }),
  ],
  [
    'the limit of the forge',
    world([], { ...jobs(3), ...allowing(1) }),
    1,
    held(2, { is: 'forge-limit', until: later }),
  ],
  [
    'the limit of the forge, overdrawn',
    world([], { ...jobs(3), ...allowing(-1) }),
    0,
    held(3, { is: 'forge-limit', until: later }),
  ],
  [
    'the limit of the forge, before other bounds of the same size',
    world([spent('s')], { ...jobs(3), ...allowing(0), retries: afterRegister, set: upTo(1) }),
    0,
    held(1, { is: 'forge-limit', until: later }),
  ],
  [
    'a registration that failed',
    world([], { ...jobs(3), ...allowing(1), retries: afterRegister }),
    0,
    held(3, { is: 'registration-failed', until: later }),
  ],
  [
    'max, which spent runners use up',
    world([spent('s')], { ...jobs(3), set: upTo(3) }),
    2,
    held(1, { is: 'max', occupied: 1 }),
  ],
  [
    'max, which was lowered',
    world([spent('a'), spent('b'), spent('c')], { ...jobs(1), set: upTo(2) }),
    0,
    held(1, { is: 'max', occupied: 3 }),
  ],
  [
    'the wait of one replacement',
    world([], { ...jobs(3), ...failing(1, { retryAt: later }) }),
    2,
    held(1, { is: 'failed-starts', failures: 1, until: later }),
  ],
  [
    'the wait of more replacements than are missing',
    world([], { ...jobs(1), ...failing(2, { retryAt: later }) }),
    0,
    held(1, { is: 'failed-starts', failures: 2, until: later }),
  ],
  [
    'spares that leave by themselves wait, and jobs do not',
    world([], {
      ...jobs(2),
      set: runnerSet({ scale: { min: 3, max: 10 } }),
      history: { ...noHistory, left: { runners: 4, at: now, retryAt: later } },
    }),
    2,
    held(3, { is: 'spares-leave', runners: 4, until: later }),
  ],
  [
    'the same at the maximum, which leaves no place for spares',
    world([busy('a'), busy('b'), busy('c')], {
      ...jobs(6),
      set: runnerSet({ scale: { min: 5, max: 6 } }),
      history: { ...noHistory, left: { runners: 4, at: now, retryAt: later } },
    }),
    3,
    undefined,
  ],
  [
    'the spares of a usual demand wait, too',
    world([], {
      ...jobs(2),
      set: runnerSet({ scale: { min: 1, max: 10 } }),
      usual: { runners: 8, weekday: 'Mon', hour: 9, weeks: 4, timeZone: 'UTC', until: later },
      history: { ...noHistory, left: { runners: 4, at: now, retryAt: later } },
    }),
    2,
    held(6, { is: 'spares-leave', runners: 4, until: later }),
  ],
  ...[0, 1].map(
    (living): Row => [
      `one spare at a time tries after the wait, with ${living} alive`,
      world(living === 0 ? [] : [runner('a', { startedAt: now })], {
        ...jobs(0),
        set: runnerSet({ scale: { min: 3, max: 10 } }),
        history: { ...noHistory, left: { runners: 4, at: now - 1, retryAt: now } },
      }),
      1 - living,
      held(2, { is: 'spares-leave', runners: 4, until: now - 1 + limits.failureMemoryMs }),
    ],
  ),
  ['the first try after three failures', world([], { ...jobs(3), ...failing(3) }), 1, held(2, probe(0))],
  [
    'a try that is under way',
    world([runner('a', { createdAt: now })], { ...jobs(3), ...failing(3) }),
    0,
    held(2, probe(1)),
  ],
  ['the wait before a try', world([], { ...jobs(3), ...failing(3, { retryAt: later }) }), 0, held(3, probe(0, later))],
  [
    'the bound of one tick',
    world([], { ...jobs(102), set: upTo(1_000) }),
    limits.startsPerTick,
    held(2, { is: 'starts-per-tick' }),
  ],
]

describe('the decision says what holds starts back', () => {
  it.each(rows)('%s', (_name, given, starts, expected) => {
    const decision = decide(given, limits, now, ids)
    expect(startsIn(decision)).toBe(starts)
    expect(decision.held).toEqual(expected)
    if (expected && 'until' in expected.why) expect(decision.wakeAt).toBe(expected.why.until)
  })
})

it('gives the runners that start the first fresh names of the set', () => {
  const { actions } = decide(world([], jobs(2)), limits, now, ['x', 'y', 'z'])
  const started = actions.flatMap((action) => (action.kind === 'start-runner' ? [action.runner] : []))
  expect(started).toEqual([expect.stringMatching(/^linux-\w{5}-x$/), expect.stringMatching(/^linux-\w{5}-y$/)])
})
