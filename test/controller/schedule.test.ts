// `min` by the time of day at real latency, with two windows and both changes of the clocks.
import { expect, it } from 'vitest'
import { confirmDeletions, openStage, pods, run, type Stage, schedule, status } from './stage.ts'

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
