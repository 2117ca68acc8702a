// CronJobs on the whole embedded cluster, on a virtual clock that begins at 2026-01-01T00:00:00Z.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createRegistry } from '../../api/create-registry.ts'
import { text } from '../../api/json.ts'
import { containerOf, openPodStage } from '../../pod-stage.fixture.ts'
import { createStore } from '../../store/store.ts'
import { asJob } from '../job/job-object.ts'
import { startCronJobController } from './cron-job-controller.ts'
import { asCronJob, type CronJob } from './cron-job-object.ts'

const resource = 'cronjobs.batch'
const name = { namespace: 'default', name: 'c' }
const minute = 60_000
const hour = 60 * minute
/** The minutes from 1970 to the begin of the clock. */
const epoch = 29_453_760

function open(spec: object = {}, main: object = { endsAfterMs: 2_000 }) {
  const stage = openPodStage({ scripts: { main } })
  const { registry } = stage
  const pod = { restartPolicy: 'Never', containers: [containerOf('main')] }
  const jobTemplate = { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { template: { spec: pod } } }
  registry.create(resource, { metadata: name, spec: { schedule: '*/10 * * * *', jobTemplate, ...spec } })
  const jobs = () => registry.list('jobs.batch').map(asJob)
  return {
    ...stage,
    cronJob: (): CronJob => asCronJob(registry.get(resource, 'default', 'c') ?? fail()),
    change: (body: object) => registry.patch(resource, name, { type: 'merge', body: { spec: body } }),
    jobs,
    /** The Jobs by the minutes since the start, each with `-` if it has not ended. */
    starts: () =>
      jobs().map(({ metadata, status }) => {
        const minutes = Number(metadata.name.slice(2)) - epoch
        return `${minutes}${status.conditions === undefined ? '-' : ''}`
      }),
    ofCron: () =>
      registry
        .list('events')
        .filter((event) => text(event, 'involvedObject', 'kind') === 'CronJob')
        .map(({ reason, message, count }) => `${reason} x${count}: ${message}`)
        .sort(),
    failures: () => registry.list('events').filter((event) => text(event, 'type') === 'Warning'),
  }
}

function fail(): never {
  throw new Error('no CronJob')
}

test('starts a Job at each time of the schedule, with its name, owner and annotation', async () => {
  const stage = open({ timeZone: 'Europe/Berlin' })
  await stage.clock.advance(10 * minute - 1)
  expect(stage.jobs()).toEqual([])
  await stage.clock.advance(1)
  const [job] = stage.jobs()
  expect(job?.metadata).toMatchObject({
    name: `c-${epoch + 10}`,
    labels: { a: 'b' },
    annotations: { c: 'd', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T01:10:00+01:00' },
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: stage.cronJob().metadata.uid, controller: true },
    ],
  })
  expect(stage.cronJob().status).toEqual({
    active: [expect.objectContaining({ kind: 'Job', name: job?.metadata.name, uid: job?.metadata.uid })],
    lastScheduleTime: '2026-01-01T00:10:00Z',
  })
  await stage.clock.advance(30 * minute)
  expect(stage.starts()).toEqual(['10', '20', '30', '40-'])
  expect(stage.failures()).toEqual([])
})

test('reports the end of a Job, and the last success', async () => {
  const stage = open()
  await stage.clock.advance(11 * minute)
  expect(stage.cronJob().status).toEqual({
    lastScheduleTime: '2026-01-01T00:10:00Z',
    lastSuccessfulTime: stage.jobs()[0]?.status.completionTime,
  })
  expect(stage.ofCron()).toEqual([
    `SawCompletedJob x1: Saw completed job: c-${epoch + 10}, condition: Complete`,
    `SuccessfulCreate x1: Created job c-${epoch + 10}`,
  ])
})

test.each([
  [0, 'Complete'],
  [1, 'Failed'],
])('keeps as many finished Jobs as the limits say: exit code %i', async (exitCode, condition) => {
  const limits = { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 2 }
  const jobTemplate = { spec: { backoffLimit: 0 } }
  const stage = open(limits, { endsAfterMs: 2_000, exitCode })
  stage.change({ jobTemplate })
  await stage.clock.advance(45 * minute)
  expect(stage.starts()).toEqual(['30', '40'])
  expect(stage.ofCron()).toContain(`SuccessfulDelete x1: Deleted job c-${epoch + 20}`)
  expect(stage.ofCron()).toContain(`SawCompletedJob x1: Saw completed job: c-${epoch + 40}, condition: ${condition}`)
  stage.change({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 })
  await stage.clock.advance(1_000)
  expect(stage.starts()).toEqual([])
})

test.each([
  ['Allow', ['10-', '20-', '30-'], ''],
  ['Forbid', ['10-'], 'JobAlreadyActive x2: Not starting job because prior execution is running'],
  ['Replace', ['30-'], `SuccessfulDelete x1: Deleted job c-${epoch + 20}`],
])('applies the concurrency policy %s', async (concurrencyPolicy, expected, event) => {
  const stage = open({ concurrencyPolicy }, {})
  await stage.clock.advance(31 * minute)
  expect(stage.starts()).toEqual(expected)
  expect(stage.cronJob().status.active).toHaveLength(expected.length)
  expect(stage.events().join('\n')).toContain(event)
})

test('with Forbid, a start that was held back follows at the end of the Job', async () => {
  const stage = open({ concurrencyPolicy: 'Forbid' }, { endsAfterMs: 15 * minute })
  await stage.clock.advance(26 * minute)
  expect(stage.starts()).toEqual(['10', '20-'])
  expect(stage.cronJob().status.lastScheduleTime).toBe('2026-01-01T00:20:00Z')
})

test('a suspended CronJob starts nothing, and one missed start when it is resumed', async () => {
  const stage = open({ suspend: true })
  await stage.clock.advance(25 * minute)
  expect(stage.starts()).toEqual([])
  stage.change({ suspend: false })
  await stage.clock.advance(1_000)
  expect(stage.starts()).toEqual(['20-'])
  stage.change({ suspend: true })
  await stage.clock.advance(hour)
  expect(stage.starts()).toEqual(['20'])
})

test('does not make up for a start whose deadline is over', async () => {
  const stage = open({ suspend: true, startingDeadlineSeconds: 200 })
  await stage.clock.advance(25 * minute)
  stage.change({ suspend: false })
  await stage.clock.advance(1_000)
  expect(stage.starts()).toEqual([])
  const missed = 'Missed scheduled time to start a job: Thu, 01 Jan 2026 00:20:00 +0000'
  expect(stage.ofCron()).toEqual([`MissSchedule x1: ${missed}`])
  await stage.clock.advance(10 * minute)
  expect(stage.starts()).toEqual(['30'])
})

test('warns after more than 100 missed starts, and starts the latest', async () => {
  const stage = open({ suspend: true, schedule: '* * * * *' })
  await stage.clock.advance(2 * hour + 1_000)
  stage.change({ suspend: false })
  await stage.clock.advance(1_000)
  expect(stage.starts()).toEqual(['120-'])
  expect(stage.ofCron().join('\n')).toContain('TooManyMissedTimes x1: too many missed start times. Set or decrease')
})

test('a new schedule begins with its next time', async () => {
  const stage = open({ schedule: '0 3 * * *' })
  await stage.clock.advance(25 * minute)
  stage.change({ schedule: '*/10 * * * *' })
  await stage.clock.advance(5 * minute - 1)
  expect(stage.starts()).toEqual([])
  await stage.clock.advance(1)
  expect(stage.starts()).toEqual(['30-'])
})

test('a schedule that never comes is reported, and nothing waits for it', async () => {
  const stage = open({ schedule: '0 0 30 2 *' })
  await stage.clock.advance(1_000)
  expect(stage.ofCron()).toEqual([
    expect.stringMatching(/^InvalidSchedule x1: invalid schedule schedule: "0 0 30 2 \*" /),
  ])
})

test('reports Jobs that it did not start, and Jobs that are gone', async () => {
  const stage = open()
  await stage.clock.advance(10 * minute)
  const [job] = stage.jobs()
  const { ownerReferences } = job?.metadata ?? {}
  const template = { spec: { restartPolicy: 'Never', containers: [containerOf('main')] } }
  stage.registry.create('jobs.batch', { metadata: { ...name, name: 'own', ownerReferences }, spec: { template } })
  stage.registry.delete('jobs.batch', 'default', job?.metadata.name ?? '', { propagationPolicy: 'Background' })
  await stage.clock.advance(minute)
  expect(stage.ofCron()).toContain(`MissingJob x1: Active job went missing: c-${epoch + 10}`)
  expect(stage.ofCron().join('\n')).toMatch(
    /UnexpectedJob x\d: Saw a job that the controller did not create or forgot: own/,
  )
})

test('a Job that is refused is tried again', async () => {
  const stage = open()
  stage.registry.create('resourcequotas', {
    metadata: { name: 'q', namespace: 'default' },
    spec: { hard: { 'count/jobs.batch': '0' } },
  })
  await stage.clock.advance(10 * minute + 2_500)
  expect(stage.events().join('\n')).toMatch(/FailedCreate x3: Error creating job: .*exceeded quota/)
  stage.registry.delete('resourcequotas', 'default', 'q')
  await stage.clock.advance(1_000)
  expect(stage.starts()).toEqual(['10-'])
})

test('leaves a foreign Job of the same name alone', async () => {
  const stage = open()
  const template = { spec: { restartPolicy: 'Never', containers: [containerOf('main')] } }
  stage.registry.create('jobs.batch', { metadata: { ...name, name: `c-${epoch + 10}` }, spec: { template } })
  await stage.clock.advance(11 * minute)
  expect(stage.cronJob().status).toEqual({})
  expect(stage.jobs()).toHaveLength(1)
})

test('a deleted CronJob leaves no Job and no pod', async () => {
  const stage = open({}, {})
  await stage.clock.advance(10 * minute)
  stage.registry.delete(resource, 'default', 'c')
  await stage.clock.advance(hour)
  expect([...stage.registry.list('jobs.batch'), ...stage.registry.list('pods')]).toEqual([])
})

test('has one timer, for the next time, and none while it is suspended', async () => {
  const clock = virtualClock()
  const registry = createRegistry({ store: createStore(), clock, random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'default' } })
  const stop = startCronJobController({ registry, clock })
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [containerOf('main')] } } } }
  const suspend = async (value: boolean) => {
    registry.patch(resource, name, { type: 'merge', body: { spec: { suspend: value } } })
    await clock.advance(0)
    return clock.next()
  }
  registry.create(resource, { metadata: name, spec: { schedule: '@yearly', jobTemplate } })
  await clock.advance(0)
  expect(clock.next()).toBe(Date.parse('2027-01-01T00:00:00Z'))
  expect(await suspend(true)).toBeUndefined()
  expect(await suspend(false)).toBe(Date.parse('2027-01-01T00:00:00Z'))
  registry.delete(resource, 'default', 'c')
  expect(clock.next()).toBeUndefined()
  stop()
})
