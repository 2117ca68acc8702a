import { expect, it } from 'vitest'
import type { Held } from '../model/held.ts'
import type { PodFacts, Runner } from '../model/runner.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import type { SetWorld } from '../model/world.ts'
import { decideRenewal, judgeAge } from './renewal.ts'
import { noHistory } from './state/history.ts'
import { limits, now, podFacts, registration, runner, runnerSet, world } from './world.fixture.ts'

const idle = (name: string) =>
  runner(
    name,
    { startedAt: now - 50_000 },
    { registration: { is: 'present', value: registration(name, { status: 'online' }), at: now } },
  )

const fullPool: Held = { count: 1, why: { is: 'pool', pool: 'shared', max: 3, others: 1, occupied: 2 } }

type Case = {
  readonly idle: number
  readonly scale: RunnerSet['scale']
  readonly held?: Held
  readonly over?: Partial<SetWorld>
}

const at = (count: number, scale: RunnerSet['scale'], rest: Omit<Case, 'idle' | 'scale'> = {}): Case => ({
  ...{ idle: count, scale },
  ...rest,
})

const percentage = {
  ...{ scaleUpThreshold: 0.8, scaleDownThreshold: 0.2, scaleUpMultiplier: 1.5, scaleDownMultiplier: 0.5 },
  coolDownMs: 0,
}
const member = { max: 3, weight: 1, floor: 1, jobs: 0 }
const shareOfOne = {
  pool: {
    me: { ...member, uid: 'me', occupied: 1, asked: 3 },
    others: [{ ...member, uid: 'a', occupied: 2, asked: 3 }],
  },
}
const untried = { over: { history: noHistory } }

it.each<[string, Case, boolean]>([
  ['the only idle runner stays until the extra one is there', at(1, { min: 1, max: 10 }), false],
  ['with the extra one, it ends', at(2, { min: 1, max: 10 }), true],
  ['at the maximum, one of several ends without an extra one', at(2, { min: 2, max: 2 }), true],
  [
    'in a full pool too, also if the share would reach the maximum',
    at(2, { min: 2, max: 3 }, { held: fullPool }),
    true,
  ],
  [
    'the only one ends, if the fair share of the pool is one',
    at(1, { min: 1, max: 3 }, { ...untried, over: { ...untried.over, ...shareOfOne } }),
    true,
  ],
  ['but not the only one of a full pool', at(1, { min: 1, max: 3 }, { held: fullPool }), false],
  [
    'no runner of the present template has come online',
    at(2, { min: 1, max: 10 }, { over: { history: { ...noHistory, proof: 'tried' } } }),
    false,
  ],
  ['at the maximum, one makes room for the first of a new template', at(2, { min: 2, max: 2 }, untried), true],
  ['so does one in a full pool', at(2, { min: 2, max: 3 }, { ...untried, held: fullPool }), true],
  ['and one of several that are too many', at(2, { min: 1, max: 10 }, untried), true],
  ['a new template is tried beside the old runners where it can be', at(2, { min: 2, max: 10 }, untried), false],
  [
    'no second one makes room for a template that failed',
    at(2, { min: 2, max: 2 }, { over: { history: { ...noHistory, proof: 'tried' } } }),
    false,
  ],
  ['at the maximum, none ends while one is missing', at(1, { min: 2, max: 2 }), false],
  ['the only runner of a set of at most one ends', at(1, { min: 1, max: 1 }), true],
  ['two wait for the extra one', at(2, { min: 2, max: 10 }), false],
  ['one that is too many is not replaced', at(1, { min: 0, max: 10 }), false],
  ['a strategy of cycles has no wanted number', at(2, { min: 1, max: 10, percentage }, untried), true],
  ['nor does its only runner end below the maximum', at(1, { min: 1, max: 10, percentage }), false],
  ['it ends at the maximum', at(1, { min: 1, max: 1, percentage }), true],
  ['none is outdated', at(2, { min: 1, max: 10 }, { over: { outdated: { count: 0, next: undefined } } }), false],
])('%s', (_, { idle: count, scale, held, over }, ends) => {
  const runners = Array.from({ length: count }, (_, index) => idle(`r${index}`))
  const facts = { outdated: { count: 1, next: runners[0] }, history: { ...noHistory, proof: 'proved' as const } }
  const given = world(runners, { set: runnerSet({ scale }), ...facts, ...over })
  const counts = given.counts.known ? given.counts.value : undefined
  const missing = given.need?.missing ?? 0
  const actions = counts ? decideRenewal({ world: given, limits, now }, counts, { missing, held }) : []
  expect(actions.map(({ kind }) => kind)).toEqual(ends ? ['deregister-runner'] : [])
})

const createdAt = podFacts().createdAt
const mark = { mark: { runner: 'r', is: 'outdated' } }

it.each<[string, number | undefined, Partial<PodFacts>, Partial<Runner>, object]>([
  ['of another template', undefined, { templateHash: 'other' }, {}, mark],
  ['of an unknown template', undefined, { templateHash: undefined }, {}, {}],
  ['that may grow old', undefined, {}, {}, {}],
  ['that grows too old in a second', now - createdAt + 1_000, {}, {}, { due: now + 1_000 }],
  ['that is too old now', now - createdAt, {}, {}, mark],
  ['that is marked', now - createdAt, {}, { outdated: true }, {}],
])('judges a runner %s', (_, idleMaxMs, facts, over, expected) => {
  const set = runnerSet({ idleMaxMs })
  const given = runner('r', facts, over)
  const { templateHash } = world([], { set })
  const pod = podFacts({ templateHash, ...facts })
  expect(judgeAge({ world: world([given], { set }), now }, given, pod)).toEqual(expected)
})
