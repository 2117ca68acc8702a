import { expect, it } from 'vitest'
import type { Need, SetWorld } from '../model/world.ts'
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
