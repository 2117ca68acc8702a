// A set with the strategy `percentageRunnersIdle`: the decision about each new reading of the demand.
import { expect, it } from 'vitest'
import type { Runner } from '../../model/runner.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import type { SetWorld } from '../../model/world.ts'
import { decide } from '../decide.ts'
import { podUseOf } from '../pod-use.ts'
import { fold } from '../state/fold.ts'
import { noHistory } from '../state/history.ts'
import { newSetState, worldOf } from '../state/set-state.ts'
import { seconds } from '../state/state.fixture.ts'
import { ids, job, limits, now, podFacts, registration, runner, runnerSet, startsIn, world } from '../world.fixture.ts'
import { fleetOf } from './fleet.ts'

const percentage = {
  scaleUpThreshold: 0.5,
  scaleDownThreshold: 0.2,
  scaleUpMultiplier: 1.5,
  scaleDownMultiplier: 0.5,
  coolDownMs: seconds(300),
} as const
const source = { ...runnerSet().source, kind: 'bitbucket', runnerGroup: undefined } as const
const setOfCycles: RunnerSet = runnerSet({ source, scale: { min: 1, max: 4, percentage } })
const old = { createdAt: now - seconds(600), startedAt: now - seconds(590) }
const idle = (name: string, age = 600) =>
  runner(name, { createdAt: now - seconds(age), startedAt: now - seconds(age - 5) })
const busy = (name: string) => runner(name, old, { job })
const starting = (name: string) => runner(name, { createdAt: now - seconds(5) })

function decisionFor(runners: readonly Runner[], over: Partial<SetWorld> = {}) {
  const set = setOfCycles
  const count = (phase: string) => runners.filter(({ job: has, name }) => (has ? 'busy' : name[0]) === phase).length
  const demand = { kind: 'utilisation', busy: count('busy'), idle: count('i') } as const
  const given = world([], { set, demand: { known: true, value: demand, at: now }, surplus: runners })
  const counts = world(runners, { set }).counts
  return decide({ ...given, counts, fleet: fleetOf(runners, demand), ...over }, limits, now, ids)
}

it('grows by the multiplier when more than the share is busy, up to max', () => {
  expect(startsIn(decisionFor([busy('b1'), busy('b2')]))).toBe(1)
  expect(startsIn(decisionFor([busy('b1'), busy('b2'), busy('b3')]))).toBe(1)
  expect(startsIn(decisionFor([busy('b1'), busy('b2'), busy('b3'), busy('b4')]))).toBe(0)
})

it('counts runners that start, and never exceeds max', () => {
  expect(startsIn(decisionFor([busy('b1'), starting('s1')]))).toBe(0)
  expect(startsIn(decisionFor([busy('b1'), busy('b2'), busy('b3'), starting('s1')]))).toBe(0)
})

it('ends old idle runners when less than the share is busy', () => {
  const { actions } = decisionFor([idle('i1', 700), idle('i2', 650), idle('i3', 20)])
  const ended = actions.flatMap((action) => (action.kind === 'deregister-runner' ? [action.runner] : []))
  expect(ended).toEqual(['i1', 'i2'])
})

const online = (name: string, age?: number): Runner => {
  const value = registration(name, { status: 'online' })
  return { ...idle(name, age), registration: { is: 'present', value, at: now } }
}

/** Returns what a decision does while the first idle runner is outdated. */
const renewalOf = (runners: readonly Runner[], over: Partial<SetWorld> = {}) => {
  const outdated = { count: 1, next: runners.find(({ name }) => name.startsWith('i')) }
  const history = { ...noHistory, proof: 'proved' as const }
  const decision = decisionFor(runners, { outdated, history, ...over })
  const ended = decision.actions.flatMap((action) => (action.kind === 'deregister-runner' ? [action.runner] : []))
  return { starts: startsIn(decision), ended }
}

it.each<[string, readonly Runner[], { readonly starts: number; readonly ended: readonly string[] }]>([
  ['starts the replacement of the only idle runner', [online('i1')], { starts: 1, ended: [] }],
  ['starts one also beside busy runners', [busy('b1'), busy('b2'), online('i1')], { starts: 1, ended: [] }],
  ['waits for the one that starts', [online('i1'), starting('s1')], { starts: 0, ended: [] }],
  [
    'ends the outdated runner, and not its young replacement',
    [online('i1'), online('i2', 20)],
    { starts: 0, ended: ['i1'] },
  ],
  [
    'ends it without a replacement at max',
    ['b1', 'b2', 'b3'].map(busy).concat(online('i1')),
    { starts: 0, ended: ['i1'] },
  ],
])('%s', (_, runners, expected) => {
  expect(renewalOf(runners)).toEqual(expected)
})

it.each<[string, Partial<SetWorld>, readonly string[]]>([
  ['no outdated runner while its replacement waits for the forge', { allowance: { now: 0, nextAt: undefined } }, []],
  [
    'one of several if a quota has no room',
    { quotas: [{ name: 'few', hard: { pods: 3 }, used: {}, scopes: [] }] },
    ['i1'],
  ],
])('ends %s', (_, over, ended) => {
  const minimum = { ...world([]).minimum, min: 3 }
  expect(renewalOf([online('i1'), online('i2'), busy('b1')], { minimum, ...over })).toEqual({ starts: 0, ended })
})

it('starts the replacement also with a min of 0, which counts as 1', () => {
  const minimum = { ...world([]).minimum, min: 0 }
  expect(renewalOf([online('i1')], { minimum })).toEqual({ starts: 1, ended: [] })
})

it('keeps no second idle runner while none is outdated', () => {
  const scale = { ...setOfCycles.scale, percentage: { ...percentage, scaleDownMultiplier: 0 } }
  const runners = [busy('b1'), ...[1, 2, 3, 4, 5].map((each) => online(`i${each}`))]
  const { ended } = renewalOf(runners, {
    set: { ...setOfCycles, scale },
    outdated: { count: 0, next: undefined },
  })
  expect(ended).toEqual(['i1', 'i2', 'i3', 'i4'])
})

const part = { uid: 'other', max: 3, floor: 0, weight: 1 }
const mine = { ...part, uid: 'me', floor: 1, occupied: 3, jobs: 0, asked: 3 }
it.each<[string, { readonly jobs: number; readonly taken?: number; readonly quietS?: number }, readonly string[]]>([
  ['the places that jobs of another set need', { jobs: 2 }, ['i1', 'i2']],
  ['no place below its floor', { jobs: 9 }, ['i1', 'i2']],
  ['no place that another set has already', { jobs: 2, taken: 1 }, ['i1']],
  ['no place that another set does not ask for', { jobs: 0 }, []],
  ['nothing before the quiet period is over', { jobs: 2, quietS: 59 }, []],
])('gives its pool %s', (_, { jobs, taken = 0, quietS = 60 }, ended) => {
  const pool = { me: { ...mine, occupied: 3 - taken }, others: [{ ...part, occupied: taken, jobs, asked: jobs }] }
  const minimum = { ...world([]).minimum, min: 3 }
  const runners = [idle('i1', 20), idle('i2', 15), idle('i3', 10)].slice(0, 3 - taken)
  const { actions } = decisionFor(runners, { pool, minimum, quietSince: now - seconds(quietS) })
  expect(actions.flatMap((action) => (action.kind === 'deregister-runner' ? [action.runner] : []))).toEqual(ended)
})

it('keeps young runners', () => {
  const runners = [idle('i1', 20), idle('i2', 20), idle('i3', 10), idle('i4', 10)]
  expect(decisionFor(runners).actions.filter(({ kind }) => kind === 'deregister-runner')).toEqual([])
})

it('decides once for each reading of the demand, and not from an old or unknown one', () => {
  const runners = [busy('b1'), busy('b2')]
  expect(decisionFor(runners).scaledBy).toBe(now)
  expect(startsIn(decisionFor(runners, { scaledBy: now }))).toBe(0)
  const value = { kind: 'utilisation', busy: 2, idle: 0 } as const
  const oldDemand = { known: true, value, at: now - limits.demandAgeMs - 1 } as const
  expect(decisionFor(runners, { demand: oldDemand })).toMatchObject({ actions: [], scaledBy: undefined })
  const unknown = { known: false, since: now, why: 'x' } as const
  expect(startsIn(decisionFor(runners, { demand: unknown, fleet: undefined }))).toBe(0)
})

it('keeps the decision for the next reading while the template is not checked', () => {
  const decision = decisionFor([], { template: undefined })
  expect(decision).toMatchObject({ held: { count: undefined, why: { is: 'template-unchecked' } }, scaledBy: undefined })
  expect(startsIn(decision)).toBe(0)
})

it('remembers the reading, so that the next tick waits for a new one', () => {
  const state = newSetState(setOfCycles)
  const take = (input: Parameters<typeof fold>[1], at = now) => fold(state, input, limits, at)
  const demand = { kind: 'utilisation', busy: 1, idle: 0 } as const
  const tick = (at: number) => {
    const decision = decide(worldOf(state, { allowance: { now: 9, nextAt: undefined } }, limits, at), limits, at, ids)
    take({ kind: 'decided', decision: { ...decision, actions: [] } }, at)
    return startsIn(decision)
  }
  const name = 'linux-x'
  take({ kind: 'pods-listed', pods: new Map([[name, podFacts(old)]]), askedAt: now })
  take({ kind: 'forge-event', event: { kind: 'job-started', runner: name, job, at: now, queuedAt: undefined } })
  state.template = { is: 'accepted', hash: state.templateHash, warnings: [], use: podUseOf({}), at: now }
  take({ kind: 'forge-event', event: { kind: 'demand', demand, at: now } })
  expect(tick(now)).toBe(1)
  expect(tick(now + 50)).toBe(0)
  take({ kind: 'forge-event', event: { kind: 'demand', demand, at: now + 10_000 } }, now + 10_000)
  expect(tick(now + 10_000)).toBe(1)
})

it('counts a cordoned busy runner as busy, and a spent one as cordoned', () => {
  const spent = runner('c', old, { job: { ...job, finished: { result: 'unknown', at: now } } })
  const ended = runner('e', { ...old, end: { exitCode: 0, reason: 'Completed', at: now } })
  const fleet = fleetOf([busy('b'), spent, idle('i'), idle('k', 500), starting('s'), ended], {
    kind: 'utilisation',
    busy: 1,
    idle: 1,
  })
  expect(fleet.map(({ name, is }) => `${name} ${is}`)).toEqual([
    'b busy',
    'c cordoned',
    'i idle',
    'k starting',
    's starting',
  ])
})

it('counts no fleet for a set without this strategy, nor while the demand is unknown', () => {
  const fleetIn = (set: RunnerSet, isKnown: boolean) => {
    const state = newSetState(set)
    const demand = { kind: 'utilisation', busy: 0, idle: 0 } as const
    if (isKnown) fold(state, { kind: 'forge-event', event: { kind: 'demand', demand, at: now } }, limits, now)
    return worldOf(state, { allowance: { now: 9, nextAt: undefined } }, limits, now).fleet
  }
  expect([fleetIn(runnerSet(), true), fleetIn(setOfCycles, false), fleetIn(setOfCycles, true)]).toEqual([
    undefined,
    undefined,
    [],
  ])
})

it.each<[string, Partial<SetWorld>, readonly string[]]>([
  [
    'within its share, because no other set takes its place',
    { pool: { me: { ...mine, occupied: 1, asked: 1 }, others: [{ ...part, occupied: 2, jobs: 0, asked: 3 }] } },
    ['i1'],
  ],
  [
    'not below it, because a place will come',
    {
      pool: { me: { ...mine, floor: 2, occupied: 1, asked: 1 }, others: [{ ...part, occupied: 2, jobs: 3, asked: 3 }] },
    },
    [],
  ],
])('ends its only outdated runner in a full pool: %s', (_, over, ended) => {
  const set = { ...setOfCycles, scale: { ...setOfCycles.scale, pool: { ...part, name: 'ci' } } }
  expect(renewalOf([online('i1')], { set, history: noHistory, ...over })).toEqual({ starts: 0, ended })
})

it('starts no idle runner while those before left by themselves', () => {
  const history = { ...noHistory, left: { runners: 4, at: now, retryAt: now + seconds(60) } }
  expect(startsIn(decisionFor([]))).toBe(1)
  expect(startsIn(decisionFor([], { history }))).toBe(0)
})
