import { expect, it } from 'vitest'
import type { Contribution } from './contribution.ts'
import { hour, minute, start } from './history.fixture.ts'
import { fineMs, Hours, hourMs } from './hours.ts'

function contribution(from: number, to: number, repository = 'octo/web'): Contribution {
  const owner = { repository, workflow: 'ci.yml', job: 'j', jobName: 'a' }
  return {
    set: 'ci/linux',
    priceLabel: '',
    requests: { cpu: 2, memoryGib: 4 },
    parts: [{ kind: 'job', from, to, ...owner }],
    jobs: [{ at: to, forgeMinutes: 1, ...owner }],
    at: to,
    isInfrastructure: false,
  }
}

const sums = (hours: Hours, width: typeof fineMs | typeof hourMs) =>
  hours
    .since(0, width)
    .flatMap(({ at, costs }) =>
      [...costs.values()].map(({ repository, sums: { jobs, jobMs } }) => [
        (at - start) / minute,
        repository,
        jobs,
        jobMs / minute,
      ]),
    )

it('splits a job over the spans in which it ran, and can take it back', () => {
  const hours = new Hours()
  const job = contribution(start + 58 * minute, start + 64 * minute)
  hours.contribute(job, 1)
  expect(sums(hours, hourMs)).toEqual([
    [0, 'octo/web', 0, 2],
    [60, 'octo/web', 1, 4],
  ])
  expect(sums(hours, fineMs)).toEqual([
    [55, 'octo/web', 0, 2],
    [60, 'octo/web', 1, 4],
  ])
  hours.contribute(job, -1)
  expect(sums(hours, hourMs)).toEqual([
    [0, 'octo/web', 0, 0],
    [60, 'octo/web', 0, 0],
  ])
})

it('loses the names of the oldest hours, and no sum, when there are too many rows', () => {
  const hours = new Hours(12)
  for (let index = 0; index < 6; index++) {
    const begin = start + index * hour
    for (const repository of ['octo/web', 'octo/api']) {
      hours.queued(begin, 'ci/linux', repository, 1_000)
      hours.contribute(contribution(begin, begin + minute, repository), 1)
    }
  }
  const rows = sums(hours, hourMs)
  expect(rows.filter(([, repository]) => repository === 'other')).toEqual(
    [0, 60, 120, 180].map((at) => [at, 'other', 2, 2]),
  )
  expect(rows.reduce((all, [, , jobs]) => all + Number(jobs), 0)).toBe(12)
  expect(
    hours.since(0, hourMs).map(({ queues }) => [...queues.values()].reduce((all, { times }) => all + times.size, 0)),
  ).toEqual([2, 2, 2, 2, 2, 2])
})

it('keeps a day of 5 minutes and a week of hours', () => {
  const hours = new Hours()
  for (let at = start; at < start + 400 * hour; at += 5 * minute) hours.queued(at, 'ci/linux', 'octo/web', 1_000)
  expect([hours.since(0, fineMs).length, hours.since(0, hourMs).length]).toEqual([313, 170])
})
