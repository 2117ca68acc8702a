// How long the pod of a broken job stays for its record.
import { expect, it } from 'vitest'
import type { RerunStatus, Reruns } from '../../model/rerun.ts'
import type { SetWorld } from '../../model/world.ts'
import { statusOf } from '../report.ts'
import { limits, now, world } from '../world.fixture.ts'
import { hasUnstored, waitsForStatusUntil } from './kept.ts'
import { brokenJob, brokenRun } from './rerun.fixture.ts'
import { noReruns, withBroken } from './reruns.ts'

const unnamed = (endedAt: number) =>
  ({ runner: 'x', cause: 'evicted', detail: 'd', brokeAt: endedAt, endedAt }) as const
const named = (endedAt: number): Partial<Reruns> => ({
  runs: [
    brokenRun('6', { jobs: [brokenJob('w')] }),
    brokenRun('7', { jobs: [brokenJob('y'), brokenJob('x', { endedAt })] }),
  ],
})
const statusWith = (...runners: readonly string[]): RerunStatus | null =>
  runners.reduce((reruns, runner) => withBroken(reruns, brokenJob(runner)), noReruns).stored
const written = (rerun: RerunStatus | null): Partial<SetWorld> => ({
  reported: { status: { ...statusOf({ world: world([]), limits, now }), rerun }, at: now },
})

it.each<[string, Partial<Reruns>, Partial<SetWorld>, number | undefined]>([
  ['is unknown', {}, {}, undefined],
  ['is not in the status', named(now), {}, 500],
  ['is not in the status, shortly before a minute is over', named(now - 59_700), {}, 300],
  ['is not in the status after a minute', named(now - 60_000), {}, undefined],
  ['is in the status', named(now), written(statusWith('y', 'x')), undefined],
  ['is not in the status, but others are', named(now), written(statusWith('y')), 500],
  ['has no name yet', { unnamed: [{ ...unnamed(now - limits.lateEventMs), runner: 'w' }, unnamed(now)] }, {}, 500],
  ['has no name, and no late event is awaited', { unnamed: [unnamed(now - limits.lateEventMs)] }, {}, undefined],
])('the pod of a job that %s', (_, reruns, over, waitMs) => {
  const given = world([], { reruns: { ...noReruns, ...reruns }, ...over })
  const until = waitsForStatusUntil({ world: given, limits, now }, 'x')
  expect(until === undefined ? undefined : until - now).toBe(waitMs)
})

it.each<[string, RerunStatus | null, RerunStatus | null, boolean]>([
  ['nothing', null, null, false],
  ['a new job', statusWith('x'), null, true],
  ['a second job', statusWith('x', 'y'), statusWith('x'), true],
  ['the same jobs', statusWith('x', 'y'), statusWith('x', 'y'), false],
])('a status with %s is urgent: %#', (_, next, before, isUrgent) => {
  expect(hasUnstored(next, world([], written(before)))).toBe(isUrgent)
})
