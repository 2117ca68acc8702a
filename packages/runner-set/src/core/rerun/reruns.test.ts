// The broken jobs of a set as its status keeps them.
import { expect, it } from 'vitest'
import type { BrokenJob, Reruns } from '../../model/rerun.ts'
import { now } from '../world.fixture.ts'
import { brokenJob, note } from './rerun.fixture.ts'
import { askKeyOf, dayOf, noReruns, repeatedToday, rerunsOf, withBroken, withRun, withRuns } from './reruns.ts'

const following = (...jobs: readonly BrokenJob[]): Reruns => jobs.reduce(withBroken, noReruns)
const shown = ({ runs }: Reruns) => runs.map(({ run, jobs }) => `${run}: ${jobs.map(({ runner }) => runner).join(' ')}`)

it('follows a job once, with the others of its run', () => {
  const other = brokenJob('z', { run: '8' })
  expect(shown(following(brokenJob('x'), other, brokenJob('y'), brokenJob('x')))).toEqual(['7: x y', '8: z'])
  expect(shown(following(brokenJob('x'), brokenJob('y', { repository: 'acme/b' })))).toEqual(['7: x', '7: y'])
})

it('has a runner only until its job has a name', () => {
  const unnamed = ['x', 'y'].map(
    (runner) => ({ runner, cause: 'evicted', detail: 'd', brokeAt: now, endedAt: now }) as const,
  )
  const { unnamed: left } = withBroken({ ...noReruns, unnamed }, brokenJob('x'))
  expect(left.map(({ runner }) => runner)).toEqual(['y'])
})

it('keeps what the next leader needs', () => {
  const jobs = [brokenJob('x', { note: { ...note, runner: 'x' }, ended: true }), brokenJob('y', { doubtful: true })]
  const reruns = withRuns(following(...jobs), { day: dayOf(now), repeated: 2 })
  const again = rerunsOf(reruns.stored)
  expect(again.runs.flatMap((run) => run.jobs)).toEqual(jobs)
  expect([again.day, again.repeated, again.stored]).toEqual([dayOf(now), 2, reruns.stored])
})

it('keeps the number of repetitions without jobs, and nothing without both', () => {
  expect(withRuns(noReruns, { day: dayOf(now), repeated: 1 }).stored).toMatchObject({ repeated: 1, pending: [] })
  expect(following(brokenJob('x')).stored).toMatchObject({ repeated: 0, pending: [{ runner: 'x' }] })
  expect(withRuns(noReruns, { day: dayOf(now) }).stored).toBeNull()
  expect(rerunsOf(undefined)).toBe(noReruns)
})

it('is the same value while it says the same, and forgets a run without jobs', () => {
  const reruns = following(brokenJob('x'))
  const [run] = reruns.runs
  if (!run) throw new Error('there is no run')
  expect(withRun(reruns, run, { looks: 3 }).stored).toBe(reruns.stored)
  expect(withRun(reruns, run, { jobs: [brokenJob('x', { ended: true })] }).stored).not.toBe(reruns.stored)
  expect(withRun(reruns, run, { jobs: [] })).toMatchObject({ runs: [], stored: null })
  const both = following(brokenJob('x'), brokenJob('y', { run: '8' }))
  expect(withRun(both, run, { looks: 3 }).runs.map(({ looks }) => looks)).toEqual([3, 0])
})

it('leaves out a job whose cause another version has written', () => {
  const { stored } = following(brokenJob('x'), brokenJob('y'))
  const pending = (stored?.pending ?? []).map((one, index) => (index === 0 ? { ...one, cause: 'meteor' } : one))
  expect(shown(rerunsOf(stored && { ...stored, pending }))).toEqual(['7: y'])
})

it('counts the repetitions of one day', () => {
  const reruns = { ...noReruns, day: dayOf(now), repeated: 4 }
  expect([repeatedToday(reruns, now), repeatedToday(reruns, now + 24 * 3_600_000)]).toEqual([4, 0])
})

it('gives looks, changes and messages a back-off each', () => {
  const asks = [{ is: 'look' }, { is: 'end' }, { is: 'repeat-failed', runners: [] }, { is: 'notify', note }] as const
  expect(asks.map(askKeyOf)).toEqual(['look-run', 'change-run', 'change-run', 'notify-author'])
})
