import { expect, it } from 'vitest'
import type { Need, SetWorld } from '../model/world.ts'
import { poolMemberOf } from './need.ts'
import { limits, now, runner, runnerSet, world } from './world.fixture.ts'

const demand = (jobs: number, at = now): Partial<SetWorld> => ({
  demand: { known: true, value: { kind: 'assigned', jobs }, at },
})
const waiting = (jobs: number): Partial<SetWorld> => ({
  demand: { known: true, value: { kind: 'queued', jobs }, at: now },
})
const unknown = { known: false, since: now, why: '' } as const
const gone = (at: number, jobOpen = false) => ({ name: 'g', at, hadJob: true, jobOpen, endedWell: !jobOpen })
const percentage = {
  scaleUpThreshold: 0.8,
  scaleDownThreshold: 0.2,
  scaleUpMultiplier: 1.5,
  scaleDownMultiplier: 0.5,
  coolDownMs: 0,
}
const member = (jobs: number, occupied: number | undefined, asked = jobs) => ({
  uid: runnerSet().uid,
  ...{ max: 6, floor: 0, weight: 1 },
  ...{ occupied, jobs, asked },
})
const two = [runner('a'), runner('b', { startedAt: now })]

it.each<[string, SetWorld, Need | undefined]>([
  ['runners are missing', world(two, demand(3)), { wanted: 3, living: 2, covered: 0, missing: 1, surplus: -1 }],
  ['runners are too many', world(two, demand(1)), { wanted: 1, living: 2, covered: 0, missing: -1, surplus: 1 }],
  [
    'the demand counts the job of a runner that is gone',
    world(two, { ...demand(3), departed: [gone(now, true)] }),
    { wanted: 3, living: 2, covered: 1, missing: 0, surplus: -1 },
  ],
  [
    'a demand that arrives seconds later may count the job of a runner that ended well',
    world(two, { ...demand(3), departed: [gone(now - limits.lateEventMs)] }),
    { wanted: 3, living: 2, covered: 1, missing: 0, surplus: -1 },
  ],
  [
    'a newer demand counts it no more',
    world(two, { ...demand(3), departed: [gone(now - limits.lateEventMs - 1)] }),
    { wanted: 3, living: 2, covered: 0, missing: 1, surplus: -1 },
  ],
  [
    'a newer demand counts a runner that failed no more',
    world(two, { ...demand(3), departed: [{ ...gone(now - 1), endedWell: false }] }),
    { wanted: 3, living: 2, covered: 0, missing: 1, surplus: -1 },
  ],
  [
    'a list of waiting jobs does not have the job that ran on a runner that is gone',
    world(two, { ...waiting(3), departed: [gone(now, true), { ...gone(now), name: 'h' }] }),
    { wanted: 3, living: 2, covered: 0, missing: 1, surplus: -1 },
  ],
  [
    'an older list of waiting jobs may have the job that a runner took and ended',
    world(two, { ...waiting(3), departed: [{ ...gone(now), hadJob: false }] }),
    { wanted: 3, living: 2, covered: 1, missing: 0, surplus: -1 },
  ],
  [
    'a newer list of waiting jobs does not have it',
    world(two, { ...waiting(3), departed: [{ ...gone(now - 1), hadJob: false }] }),
    { wanted: 3, living: 2, covered: 0, missing: 1, surplus: -1 },
  ],
  [
    'the fair share of a pool is less than what the jobs need',
    world(two, { ...demand(5), pool: { me: member(5, 2), others: [member(5, 3)] } }),
    { wanted: 3, living: 2, covered: 0, missing: 1, surplus: -1 },
  ],
  ['the demand is unknown', world(two, { demand: unknown }), undefined],
  ['the demand is too old', world(two, demand(3, now - limits.demandAgeMs - 1)), undefined],
  ['the counts are unknown', world(two, { ...demand(3), counts: unknown }), undefined],
  [
    'a strategy of cycles decides',
    world(two, { ...demand(3), set: runnerSet({ scale: { min: 1, max: 4, percentage } }) }),
    undefined,
  ],
])('%s', (_name, { need }, expected) => {
  expect(need).toEqual(expected)
})

it.each<[string, Partial<SetWorld>, ReturnType<typeof poolMemberOf>]>([
  ['its jobs and its spares', demand(3), member(3, 2, 4)],
  ['no more than its own maximum', demand(9), member(5, 2)],
  ['what it has while its demand is unknown', { demand: unknown }, member(2, 2)],
  ['nothing while its counts are unknown', { ...demand(3), counts: unknown }, member(0, undefined)],
])('asks its pool for %s', (_name, over, expected) => {
  const set = runnerSet({ scale: { min: 1, max: 5, pool: { name: 'ci', max: 6, floor: 0, weight: 1 } } })
  expect(poolMemberOf(world(two, { set, ...over }), limits, now)).toEqual(expected)
})

it('asks its pool for the runners that it has, and for jobs only for its busy ones, if a strategy of cycles decides', () => {
  const pool = { name: 'ci', max: 6, floor: 0, weight: 1 }
  const set = runnerSet({ scale: { min: 1, max: 5, percentage, pool } })
  expect(poolMemberOf(world(two, { set, ...demand(3) }), limits, now)).toEqual({ ...member(2, 2), jobs: 0 })
  expect(poolMemberOf(world(two), limits, now)).toBeUndefined()
})
