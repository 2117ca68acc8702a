// The conformance cases of `percentageRunnersIdle`: what the official autoscaler 3.7.0 does, and what the corrected strategy does
// (docs/reference/bitbucket.md#s4-1). Ids are those of the reference.
import { expect, test } from 'vitest'
import type { FleetRunner } from '../../model/world.ts'
import { type PercentageParameters, percentageCorrected, percentageStrict } from './percentage.ts'

const now = 10_000_000
const defaults: PercentageParameters = {
  min: 1,
  max: 10,
  scaleUpThreshold: 0.5,
  scaleDownThreshold: 0.2,
  scaleUpMultiplier: 1.5,
  scaleDownMultiplier: 0.5,
  coolDownMs: 300_000,
}

const kinds: Readonly<Record<string, Partial<FleetRunner>>> = {
  b: { step: 'present' },
  i: {},
  /** An idle one that is 100 s old. */
  y: { createdAt: now - 100_000 },
  /** Online with `step: null`. */
  n: { step: 'null' },
  o: { status: 'OFFLINE' },
  d: { status: 'DISABLED' },
  u: { status: 'UNREGISTERED' },
  /** A runner with other labels. */
  f: { isOwn: false },
}

/** Reads `2b 1i`: two busy runners, then an idle one. */
function runnersOf(text: string): readonly FleetRunner[] {
  const groups = text.split(' ').filter(Boolean)
  return groups.flatMap((group) => {
    const [, count = '', kind = ''] = /^(\d+)(\w)$/.exec(group) ?? []
    const base = { isOwn: true, status: 'ONLINE', step: 'absent', createdAt: now - 600_000 } as const
    return Array.from({ length: Number(count) }, (_, index) => ({ ...base, ...kinds[kind], id: `${kind}${index}` }))
  })
}

type Row = readonly [
  id: string,
  runners: string,
  change: Partial<PercentageParameters>,
  strict: number,
  corrected?: number,
]

/** The change of the number of runners in one cycle. Without a fifth column the corrected strategy does the same. */
const rows: readonly Row[] = [
  ['S01 nothing online', '', {}, 1],
  ['S02 nothing online, min 0', '', { min: 0 }, 0, 1],
  ['S03 nothing online, min 3', '', { min: 3 }, 3],
  ['S04 min above max', '', { min: 12 }, 12, 10],
  ['S05', '1b', {}, 1],
  ['S06 the ratio equals the threshold', '1b 1i', {}, 0],
  ['S08', '4b', {}, 2],
  ['S09', '5b', {}, 3],
  ['S11', '9b', {}, 1],
  ['S12 max reached', '10b', {}, 0],
  ['S13 more than max online', '11b', {}, 0],
  ['S14 below min', '2i', { min: 5 }, 1, 3],
  ['S16 multiplier 1', '4b', { scaleUpMultiplier: 1 }, 0],
  ['S17 multiplier below 1', '4b', { scaleUpMultiplier: 0.5 }, 0],
  ['S19', '3b', { scaleUpMultiplier: 1.1 }, 1],
  ['S20 double arithmetic', '50b', { scaleUpMultiplier: 1.1, max: 100 }, 6],
  ['S21 the up branch is taken and capped', '1b 9i', { scaleUpThreshold: 0 }, 0],
  ['S22 min above max', '3i', { min: 5, max: 3 }, 0],
  ['S24 an offline one', '1o', {}, 1],
  ['S25 a disabled one', '1d', {}, 1],
  ['S26 three that start', '3u', { min: 3 }, 3, 0],
  ['S27 five that start', '5u 1b', {}, 1, 0],
  ['S29 a hand-made one', '1f', {}, 1],
  ['S30 labels in another order', '1i', {}, 0],
  ['S31 step null', '1n', {}, 1, 0],
  ['S32 the limit, all offline', '100o', {}, 0],
  ['S33 one below the limit', '99o', { min: 3 }, 1],
  ['S34 foreign runners use the limit', '98f 2b', {}, 0],
  ['S36 two of four fit', '94f 4b', { scaleUpMultiplier: 2 }, 2],
  ['S38 disabled runners use the limit', '99d 1b', {}, 0],
  ['D01', '1i', {}, 0],
  ['D02', '2i', {}, -1],
  ['D03', '3i', {}, -2],
  ['D04', '10i', {}, -5],
  ['D06', '9i 1b', {}, -5],
  ['D07 the ratio equals the threshold', '8i 2b', {}, 0],
  ['D09', '10i', { scaleDownMultiplier: 0 }, -9],
  ['D10', '10i', { scaleDownMultiplier: 1 }, 0],
  ['D11 all are young', '4y', {}, 0],
  ['D12 two young ones first', '2y 2i', {}, 0, -2],
  ['D14 max is not enforced by itself', '15i', {}, -8],
  ['D15 threshold 0', '3i', { scaleDownThreshold: 0 }, 0],
  ['D16 double arithmetic', '100i', { scaleDownMultiplier: 0.29, max: 100 }, -72],
]

const changeBy = (decide: typeof percentageStrict, runners: string, change: Partial<PercentageParameters>) => {
  const { creates, cordons } = decide(runnersOf(runners), { ...defaults, ...change }, now)
  return creates - cordons.length
}

const cases = rows.map(([id, runners, change, strict, corrected = strict]) => ({
  id,
  runners,
  change,
  strict,
  corrected,
}))

test.each(cases)('$id: $runners with $change', ({ runners, change, strict, corrected }) => {
  const both = [percentageStrict, percentageCorrected].map((decide) => changeBy(decide, runners, change))
  expect(both).toEqual([strict, corrected])
})

test('the corrected strategy ends the old runners, not the young ones', () => {
  expect(percentageCorrected(runnersOf('2y 2i'), defaults, now).cordons).toEqual(['i0', 'i1'])
})

test.each([
  ['from-zero', '', {}],
  ['up', '1b', {}],
  ['max-reached', '10b', {}],
  ['down', '2i', {}],
  ['cooling-down', '4y', {}],
  ['limited', '100o', {}],
  ['steady', '1i', {}],
] as const)('the reason %s is given for "%s"', (reason, runners, change) => {
  const parameters = { ...defaults, ...change }
  expect(percentageStrict(runnersOf(runners), parameters, now).reason).toBe(reason)
  expect(percentageCorrected(runnersOf(runners), parameters, now).reason).toBe(reason)
})

/** Applies a strategy cycle by cycle. A new runner is of the given kind from the next cycle on; a cordoned one is gone then. */
function trace(
  decide: typeof percentageStrict,
  start: string,
  [born, cycles, change]: readonly [born: string, cycles: number, change: Partial<PercentageParameters>],
): readonly number[] {
  let runners = runnersOf(start)
  const counts: number[] = []
  for (let cycle = 0; cycle < cycles; cycle++) {
    counts.push(runners.length)
    const { creates, cordons } = decide(runners, { ...defaults, ...change }, now)
    runners = [...runners.filter(({ id }) => !cordons.includes(id)), ...runnersOf(`${creates}${born}`)].map(
      (runner, index) => ({ ...runner, id: `r${index}` }),
    )
  }
  return counts
}

const upTo100 = (first: number, by: number) =>
  Array.from({ length: 60 }, (_, cycle) => Math.min(100, first + by * cycle))

test.each([
  ['M01 always all busy', '', ['b', 8, {}], [0, 1, 2, 3, 5, 8, 10, 10], undefined],
  [
    'M03 a small multiplier',
    '',
    ['b', 12, { scaleUpMultiplier: 1.1 }],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10],
    undefined,
  ],
  ['M04 nothing busy', '10i', ['i', 5, {}], [10, 5, 2, 1, 1], undefined],
  ['M06 down by one', '10i', ['i', 11, { scaleDownMultiplier: 0.9 }], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1], undefined],
  ['M08 min 0', '4i', ['i', 5, { min: 0 }], [4, 2, 1, 0, 0], [4, 2, 1, 1, 1]],
  ['M09 pods never start', '3u', ['u', 60, { min: 3 }], upTo100(3, 3), Array(60).fill(3)],
  ['M10 new pods never start', '3b', ['u', 60, {}], upTo100(3, 2), [3, ...Array(59).fill(5)]],
] as const)('%s', (_, start, how, strict, corrected) => {
  expect(trace(percentageStrict, start, how)).toEqual(strict)
  expect(trace(percentageCorrected, start, how)).toEqual(corrected ?? strict)
})
