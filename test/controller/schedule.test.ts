// The idle runners of a set by the time of day, at real latency: with two windows and both changes of the clocks, and by its usual demand.
import { expect, it } from 'vitest'
import { confirmDeletions, openStage, pods, queue, run, type Stage, schedule, status } from './stage.ts'

const minute = 60_000

const living = (stage: Stage) => pods(stage).filter(({ metadata }) => metadata.deletionTimestamp === undefined)

/** Lets each runner come online, as a kubelet and its container do. */
async function settle(stage: Stage, until: number): Promise<void> {
  while (stage.clock.now() < until) {
    for (const { metadata, spec } of living(stage)) {
      if ((spec as { readonly nodeName?: string }).nodeName !== undefined) continue
      schedule(stage, metadata.name)
      run(stage, metadata.name)
      stage.emulator.control.stub.online(metadata.name)
    }
    confirmDeletions(stage)
    await stage.clock.advance(Math.min(10 * minute, until - stage.clock.now()))
  }
}

const windows = [
  { timeZone: 'Europe/Berlin', days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], from: '07:30', to: '19:00', min: 4 },
  { name: 'night', timeZone: 'Europe/Berlin', days: ['Sat'], from: '22:00', to: '02:30', min: 2 },
]

it.each<[string, readonly (readonly [string, number])[]]>([
  [
    'a window of a working day',
    [
      ['2027-03-26T06:20:00Z', 1],
      ['2027-03-26T06:40:00Z', 4],
    ],
  ],
  [
    'a night in which the clock skips an hour',
    [
      ['2027-03-28T00:50:00Z', 2],
      ['2027-03-28T01:10:00Z', 1],
    ],
  ],
  [
    'a night in which the clock shows an hour twice',
    [
      ['2027-10-31T00:40:00Z', 2],
      ['2027-10-31T01:20:00Z', 2],
      ['2027-10-31T01:40:00Z', 1],
    ],
  ],
])('keeps the idle runners of its schedule in %s', async (_, expected) => {
  const [[first] = ['']] = expected
  const spec = { scale: { min: 1, max: 10, schedule: windows } }
  const stage = await openStage({ at: Date.parse(first) - 20 * minute, forgeMs: 150, apiMs: 50, spec })
  const found: [string, number][] = []
  for (const [at] of expected) {
    await settle(stage, Date.parse(at))
    found.push([at, living(stage).length])
  }
  expect(found).toEqual(expected)
  const [, min] = expected.at(-1) ?? []
  const { min: shown, minReason = null } = status(stage)
  const reason = min === 4 ? expect.stringContaining('until 2027-03-26T18:00:00Z') : null
  expect([shown, minReason]).toEqual([min, reason])
})

/** Four Mondays: one without any job, and one that nobody saw at nine. */
const mondays = [
  ['2027-03-22', 'at nine', '6'],
  ['2027-03-15', 'at nine', '0'],
  ['2027-03-08', 'at nine', '4'],
  ['2027-03-01', 'at nine', '-'],
].map(([day, , peak]) => ({ day, peaks: ['0 '.repeat(9).trim(), peak, '1', '- '.repeat(13).trim()].join(' ') }))

it('keeps the runners that a Monday at nine usually needs, learns from today, and hands both over', async () => {
  const killed = new Set<string>()
  const stage = await openStage({
    ...{ at: Date.parse('2027-03-29T06:30:00Z'), forgeMs: 150, apiMs: 50, killed },
    spec: { scale: { min: 1, max: 10, usualDemand: { max: 3, timeZone: 'Europe/Berlin' } } },
    status: { demandDays: [...mondays, { day: 'yesterday', peaks: 'none' }] },
  })
  const livingAt = async (at: string) => {
    await settle(stage, Date.parse(at))
    return living(stage).length
  }
  expect(await livingAt('2027-03-29T06:50:00Z')).toBe(1)
  // Five minutes ahead of the hour. The middle of 0, 4 and 6 is above the maximum of the policy.
  expect(await livingAt('2027-03-29T06:58:00Z')).toBe(3)
  queue(stage, 3)
  expect(await livingAt('2027-03-29T07:00:00Z')).toBe(4)
  expect(status(stage)).toMatchObject({
    min: 1,
    usual: 3,
    usualReason: 'Mondays at 09:00 Europe/Berlin, as in 3 of the last 4 weeks',
  })
  killed.add('controller-1')
  const next = stage.start('controller-2')
  expect(await livingAt('2027-03-29T07:06:00Z')).toBe(4)
  const [today, ...before] = status(stage)['demandDays'] as readonly { readonly day: string; readonly peaks: string }[]
  expect(today?.peaks.split(' ').slice(8, 11)).toEqual(['3', '3', '-'])
  expect(before).toEqual(mondays)
  const stopping = next.stop()
  await stage.clock.advance(60_000)
  await stopping
})
