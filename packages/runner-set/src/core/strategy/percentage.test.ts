// The cases of `percentageRunnersIdle` (docs/reference/bitbucket.md#s4-1). Ids are those of the reference.
import { expect, test } from 'vitest'
import type { FleetRunner } from '../../model/world.ts'
import { decideByPercentage, type PercentageParameters } from './percentage.ts'

const now = 10_000_000
const defaults: PercentageParameters = {
  min: 1,
  max: 10,
  runnersMax: 100,
  scaleUpThreshold: 0.5,
  scaleDownThreshold: 0.2,
  scaleUpMultiplier: 1.5,
  scaleDownMultiplier: 0.5,
  coolDownMs: 300_000,
}

const old = now - 600_000
const kinds: Readonly<Record<string, Omit<FleetRunner, 'name'>>> = {
  b: { is: 'busy', createdAt: old },
  i: { is: 'idle', createdAt: old },
  y: { is: 'idle', createdAt: now - 100_000 },
  /** Just as old as a runner that stays. */
  e: { is: 'idle', createdAt: now - 300_000 },
  d: { is: 'cordoned', createdAt: old },
  s: { is: 'starting', createdAt: old },
}

/** Reads `2b 1i`: two busy runners, then an idle one. */
function runnersOf(text: string): readonly FleetRunner[] {
  const groups = text.split(' ').filter(Boolean)
  return groups.flatMap((group) => {
    const [, count = '', kind = ''] = /^(\d+)(\w)$/.exec(group) ?? []
    const one = kinds[kind]
    return Array.from({ length: one ? Number(count) : 0 }, (_, index) => ({ ...one!, name: `${kind}${index}` }))
  })
}

/** The change of the number of runners in one cycle. */
const rows: readonly (readonly [id: string, runners: string, change: Partial<PercentageParameters>, by: number])[] = [
  ['S01 nothing online', '', {}, 1],
  ['S02 nothing online, min 0', '', { min: 0 }, 1],
  ['S03 nothing online, min 3', '', { min: 3 }, 3],
  ['S04 min above max', '', { min: 12 }, 10],
  ['S05', '1b', {}, 1],
  ['S06 the ratio equals the threshold', '1b 1i', {}, 0],
  ['S08', '4b', {}, 2],
  ['S09', '5b', {}, 3],
  ['S11', '9b', {}, 1],
  ['S12 max reached', '10b', {}, 0],
  ['S13 more than max online', '11b', {}, 0],
  ['S14 below min', '2i', { min: 5 }, 3],
  ['S16 multiplier 1', '4b', { scaleUpMultiplier: 1 }, 0],
  ['S17 multiplier below 1', '4b', { scaleUpMultiplier: 0.5 }, 0],
  ['S19', '3b', { scaleUpMultiplier: 1.1 }, 1],
  ['S20 double arithmetic', '50b', { scaleUpMultiplier: 1.1, max: 100 }, 6],
  ['S21 it may grow, and does not shrink', '1b 9i', { scaleUpThreshold: 0 }, 0],
  ['S22 min above max', '3i', { min: 5, max: 3 }, 0],
  ['S25 a cordoned one', '1d', {}, 1],
  ['S26 three that start', '3s', { min: 3 }, 0],
  ['S27 five that start', '5s 1b', {}, 0],
  ['S32 the limit of the forge', '100d', {}, 0],
  ['S33 one below the limit', '99d', { min: 3 }, 1],
  ['S36 two of four fit', '94d 4b', { scaleUpMultiplier: 2 }, 2],
  ['S38 more than the limit', '101d 1b', {}, 0],
  ['D01', '1i', {}, 0],
  ['D02', '2i', {}, -1],
  ['D03', '3i', {}, -2],
  ['D04', '10i', {}, -5],
  ['D06', '9i 1b', {}, -5],
  ['D07 the ratio equals the threshold', '8i 2b', {}, 0],
  ['D09', '10i', { scaleDownMultiplier: 0 }, -9],
  ['D10', '10i', { scaleDownMultiplier: 1 }, 0],
  ['D11 all are young', '4y', {}, 0],
  ['D12 two young ones first', '2y 2i', {}, -2],
  ['D13 just as old as the cool-down', '4e', {}, 0],
  ['D14 max is not enforced by itself', '15i', {}, -8],
  ['D15 threshold 0', '3i', { scaleDownThreshold: 0 }, 0],
  ['D16 double arithmetic', '100i', { scaleDownMultiplier: 0.29, max: 100 }, -72],
]

test.each(rows)('%s: %s with %o', (_id, runners, change, by) => {
  const { creates, cordons } = decideByPercentage(runnersOf(runners), { ...defaults, ...change }, now)
  expect(creates - cordons.length).toBe(by)
})

test('ends the old runners, not the young ones', () => {
  expect(decideByPercentage(runnersOf('2y 2i'), defaults, now).cordons).toEqual(['i0', 'i1'])
})

/** Decides cycle by cycle. A new runner is of the given kind from the next cycle on; a cordoned one is gone then. */
function trace(
  start: string,
  [born, cycles, change]: readonly [born: string, cycles: number, change: Partial<PercentageParameters>],
): readonly number[] {
  let runners = runnersOf(start)
  const counts: number[] = []
  for (let cycle = 0; cycle < cycles; cycle++) {
    counts.push(runners.length)
    const { creates, cordons } = decideByPercentage(runners, { ...defaults, ...change }, now)
    runners = [...runners.filter(({ name }) => !cordons.includes(name)), ...runnersOf(`${creates}${born}`)].map(
      (runner, index) => ({ ...runner, name: `r${index}` }),
    )
  }
  return counts
}

test.each([
  ['M01 always all busy', '', ['b', 8, {}], [0, 1, 2, 3, 5, 8, 10, 10]],
  ['M03 a small multiplier', '', ['b', 12, { scaleUpMultiplier: 1.1 }], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]],
  ['M04 nothing busy', '10i', ['i', 5, {}], [10, 5, 2, 1, 1]],
  ['M06 down by one', '10i', ['i', 11, { scaleDownMultiplier: 0.9 }], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]],
  ['M08 min 0', '4i', ['i', 5, { min: 0 }], [4, 2, 1, 1, 1]],
  ['M09 pods never start', '3s', ['s', 60, { min: 3 }], Array(60).fill(3)],
  ['M10 new pods never start', '3b', ['s', 60, {}], [3, ...Array(59).fill(5)]],
] as const)('%s', (_, start, how, counts) => {
  expect(trace(start, how)).toEqual(counts)
})
