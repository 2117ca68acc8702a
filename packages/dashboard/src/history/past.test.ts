import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { describe, expect, it } from 'vitest'
import type { Prices } from '../model/trends.ts'
import { about, ci, facts, goodLife, hour, minute, namedJob, opened, second, start } from './history.fixture.ts'

const day = 24 * hour
const of = about()
const prices: Prices = {
  currency: 'EUR',
  cpuHour: 1,
  memoryGibHour: 0.5,
  forgeMinute: 0.002,
  nodes: [{ label: 'type=big', cpuHour: 10, memoryGibHour: 0 }],
}
/** One hour of a pod of the set, with 2 CPUs and 4 GiB. */
const podHour = 4
const created: JournalEvent = { kind: 'pod-created', ...of, uid: 'u' }
const online: JournalEvent = { kind: 'runner-online', ...of }
const ended: JournalEvent = { kind: 'runner-ended', ...of, exitCode: 1, reason: 'Error' }
const gone: JournalEvent = { kind: 'runner-gone', ...of, because: 'ended' }
const failed: JournalEvent = { kind: 'runner-failed', ...of, failure: { reason: 'image-missing', message: 'x' } }
const job = (queuedMs: number | undefined, id = 'j1', repository = 'octo/web'): JournalEvent => ({
  kind: 'job-started',
  ...about(id),
  job: namedJob(id, repository),
  queuedMs,
})

describe('trends', () => {
  it('have the queue times of sets and repositories', () => {
    const { history, at } = opened()
    for (const runner of ['a', 'b', 'c', 'd']) at(0, { ...created, runner })
    at(1, job(10_000, 'a'), job(40_000, 'b'), job(20_000, 'c', 'octo/api'), job(undefined, 'd', 'octo/api'))
    const trends = history.trends('1h', start + minute)
    expect(trends.sets).toMatchObject([{ set: 'ci/linux', jobs: 3, objectiveMs: 30_000 }])
    expect(trends.sets[0]?.withinObjective).toBeCloseTo(2 / 3)
    expect(trends.repositories).toMatchObject([
      { repository: 'octo/web', jobs: 2, longestMs: 40_000 },
      { repository: 'octo/api', jobs: 1, longestMs: 20_000 },
    ])
    expect(trends.repositories[0]?.waitingShare).toBeCloseTo(5 / 7)
    expect(trends.repositories[0]?.capacityShare).toBeCloseTo(0.5)
    expect(trends.points.map(({ jobs }) => jobs)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3])
  })

  it('count a job that still waits as waiting', () => {
    const { history, at } = opened()
    at(1, { kind: 'job-waits', ...ci, job: namedJob(), queuedAt: start })
    expect(history.trends('1h', start + minute)).toMatchObject({
      all: { jobs: 0, p50: null },
      repositories: [{ repository: 'octo/web', longestMs: minute, waitingShare: 1, capacityShare: null }],
    })
  })

  it('count a repeated message once, and nothing while this process does not lead', () => {
    const { history, at } = opened()
    at(1, job(10_000), job(10_000))
    at(2, { kind: 'leadership-lost', identity: 'a', why: 'x', planned: true }, job(5, 'j2'))
    expect(history.trends('1h', start + minute).all.jobs).toBe(1)
  })

  it.each<['1h' | '24h' | '7d', number, number, number]>([
    ['1h', 30 * minute, 1, 13],
    ['1h', 90 * minute, 0, 13],
    ['24h', 90 * minute, 1, 295],
    ['24h', 30 * hour, 0, 289],
    ['7d', 30 * hour, 1, 169],
    ['7d', 9 * day, 0, 169],
  ])('show the last %s, %s ms after a job', (window, ms, jobs, points) => {
    const { history, at } = opened()
    at(0, job(10_000), { ...gone, runner: 'j1' })
    at(ms / second, job(undefined, 'later'))
    const trends = history.trends(window, start + ms)
    expect([trends.all.jobs, trends.repositories.length, trends.points.length]).toEqual([jobs, jobs, points])
  })

  it.each([
    ['1h', minute, start],
    ['1h', 2 * hour, null],
    ['24h', 2 * hour, start],
  ] as const)('say since when the last %s are known, %s ms after the begin', (window, ms, since) => {
    expect(opened().history.trends(window, start + ms).incompleteBefore).toBe(since)
  })

  it('bound the repositories of a set', () => {
    const { history, at } = opened()
    for (let index = 0; index < 250; index++) at(1, job(1_000, `j${index}`, `octo/r${index}`))
    const names = history.trends('7d', start + minute).repositories.map(({ repository }) => repository)
    expect([names.length, names.includes('other'), names.includes('octo/r0')]).toEqual([200, true, true])
    expect(history.trends('7d', start + minute).all.jobs).toBe(250)
  })
})

describe('costs', () => {
  it('split the hours of a pod into job, overhead and idle time', () => {
    const { history } = opened()
    for (const entry of goodLife()) history.take(entry)
    const costs = history.costs('1h', start + 2 * minute, prices)
    expect(costs.repositories).toEqual([
      { name: 'octo/web', jobs: 1, jobHours: 60 / 3_600, amount: ((60 + 4 + 2) / 3_600) * podHour },
    ])
    expect(costs.workflows).toMatchObject([{ name: 'octo/web ci.yml', jobs: 1 }])
    expect(costs.idle).toEqual({ hours: 4 / 3_600, amount: (4 / 3_600) * podHour })
    expect(costs.sets).toMatchObject([{ name: 'ci/linux', jobs: 1, idleHours: 4 / 3_600 }])
    expect(costs.forge).toBe(0.002)
    expect(costs.total).toBeCloseTo((70 / 3_600) * podHour + 0.002)
    expect(costs.infrastructure).toEqual({ hours: 0, amount: 0, runners: 0 })
  })

  it.each<[string, readonly JournalEvent[], object]>([
    ['a failed start', [created, failed, gone], { infrastructure: { runners: 1, hours: 2 }, idle: { hours: 0 } }],
    [
      'a failure that is known after the end',
      [created, gone, failed],
      { infrastructure: { runners: 1, hours: 1 }, idle: { hours: 0 } },
    ],
    ['a surplus runner', [created, online, gone], { infrastructure: { runners: 0 }, idle: { hours: 1 } }],
    ['a runner that waits now', [created, online], { idle: { hours: 2 } }],
    ['a job that runs now', [created, job(0, 'a')], { idle: { hours: 0 }, repositories: [{ jobs: 1, jobHours: 2 }] }],
    [
      'a job whose start is reported after the end',
      [created, online, ended, job(0, 'a'), gone],
      { repositories: [{ jobs: 1 }] },
    ],
    [
      'a failure after a job',
      [created, job(0, 'a'), failed, gone],
      { infrastructure: { runners: 0 }, repositories: [{ jobHours: 2 }] },
    ],
  ])('know %s', (_name, events, expected) => {
    const { history, at } = opened()
    events.forEach((event, index) => {
      at(index * 3_600, event)
    })
    expect(history.costs('24h', start + Math.max(3, events.length) * hour, prices)).toMatchObject(expected)
  })

  it('price a node by its label, and leave a pod without requests unpriced', () => {
    const { history, at } = opened()
    history.describe({ ...facts, priceLabel: 'type=big' })
    history.describe({ ...facts, id: 'ci/plain', requests: null })
    at(0, created, { ...created, runner: 'b', set: 'plain' })
    at(3_600, gone, { ...gone, runner: 'b', set: 'plain' })
    expect(history.costs('24h', start + 2 * hour, prices)).toMatchObject({ total: 20, unpriced: 1 })
    expect(history.costs('24h', start + 2 * hour, null)).toMatchObject({ prices: null, total: 0 })
  })

  it('count only the part of a life that lies in the window and in the known time', () => {
    const { history, at } = opened()
    history.seed(
      [
        {
          ...of,
          pod: { createdAt: start - day, startedAt: start - day, node: 'n', end: undefined },
          isOnline: true,
          job: undefined,
        },
      ],
      start,
    )
    expect(history.costs('24h', start + hour, prices).idle.hours).toBe(1)
    at(30 * 3_600, gone)
    expect(history.costs('1h', start + 30 * hour, prices).idle.hours).toBe(1)
    expect(history.costs('7d', start + 30 * hour, prices).idle.hours).toBe(30)
  })
})
