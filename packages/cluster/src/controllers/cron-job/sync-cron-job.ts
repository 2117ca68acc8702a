// Syncs one CronJob: starts the Job that is due, and returns to it at the next time of its schedule.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/controller/cronjob/cronjob_controllerv2.go
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { ApiError } from '../../api/errors.ts'
import { asJob, type Job } from '../job/job-object.ts'
import { type Reconciliation, retryMs } from '../object-loop.ts'
import { controllerOf, ownerReference } from '../owners.ts'
import { writeStatus } from '../write-status.ts'
import { deleteOldJobs, followJobs, referenceTo, replaceJobs } from './active-jobs.ts'
import { type CronJob, type CronJobStatus, jobsOf, startsFrom, timetableOf } from './cron-job-object.ts'
import { missedStart, nextOccurrence, type Timetable } from './occurrences.ts'

const jobs = 'jobs.batch'

export function syncCronJob(context: Reconciliation, cronJob: CronJob): void {
  deleteOldJobs(context, cronJob, jobsOf(context.registry, cronJob))
  const status = followJobs(context, cronJob, jobsOf(context.registry, cronJob))
  writeStatus(context.registry, 'cronjobs.batch', cronJob, keepSchedule(context, cronJob, status))
}

/** Starts the Job that is due. Returns the status with it. */
function keepSchedule(context: Reconciliation, cronJob: CronJob, status: CronJobStatus): CronJobStatus {
  const { clock, events, again } = context
  if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend) return status
  const timetable = timetableOf(cronJob)
  if ('reason' in timetable) {
    events.record('Warning', timetable.reason, timetable.message)
    return status
  }
  const wait = waitMs(timetable, startsFrom(cronJob), clock.now())
  if (wait === undefined) {
    const why = 'time difference between two schedules is less than 1 second'
    const schedule = JSON.stringify(cronJob.spec.schedule)
    events.record('Warning', 'InvalidSchedule', `invalid schedule schedule: ${schedule} : ${why}`)
    return status
  }
  again(wait)
  const due = dueStart(context, cronJob, timetable)
  return due === undefined || !mayStart(context, cronJob, status, due) ? status : start(context, cronJob, status, due)
}

/** Returns the milliseconds until the next time of the schedule. */
function waitMs(timetable: Timetable, since: Instant, now: Instant): number | undefined {
  const latest = missedStart(timetable, since, now)?.at ?? since
  const next = nextOccurrence(timetable, latest)
  return next === undefined ? undefined : Math.max(0, next - now)
}

/** Returns the time of the start that is due, unless its deadline is over. */
function dueStart({ clock, events }: Reconciliation, cronJob: CronJob, timetable: Timetable): Instant | undefined {
  const { startingDeadlineSeconds = Number.POSITIVE_INFINITY } = cronJob.spec
  const now = clock.now()
  const since = startsFrom(cronJob)
  const inTime = missedStart(timetable, Math.max(since, now - startingDeadlineSeconds * 1_000), now)
  const latest = missedStart(timetable, since, now)
  if (inTime === undefined && latest !== undefined) {
    const time = new Date(latest.at).toUTCString().replace('GMT', '+0000')
    events.record('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${time}`)
  }
  if (inTime?.isOneOfMany) {
    const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew'
    events.record('Warning', 'TooManyMissedTimes', `too many missed start times. ${advice}`)
  }
  return inTime?.at
}

function mayStart({ events }: Reconciliation, cronJob: CronJob, { active = [] }: CronJobStatus, due: Instant): boolean {
  if (active.some(({ name }) => name === jobName(cronJob, due))) return false
  if (cronJob.spec.concurrencyPolicy !== 'Forbid' || active.length === 0) return true
  const why = 'prior execution is running and concurrency policy is Forbid'
  events.record('Normal', 'JobAlreadyActive', `Not starting job because ${why}`)
  return false
}

function start(context: Reconciliation, cronJob: CronJob, before: CronJobStatus, due: Instant): CronJobStatus {
  const { registry, events, again } = context
  const isReplaced = cronJob.spec.concurrencyPolicy === 'Replace'
  const status = isReplaced ? replaceJobs(context, jobsOf(registry, cronJob), before) : before
  try {
    const job = createJob(context, cronJob, due)
    if (job === undefined) return status
    const active = [...(status.active ?? []), referenceTo(job)]
    return { ...status, active, lastScheduleTime: timestamp(due) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    events.record('Warning', 'FailedCreate', `Error creating job: ${error.status.message}`)
    again(retryMs)
    return status
  }
}

/** Creates the Job of a start, or returns the one that exists. Returns undefined if it is not the CronJob's own. */
function createJob({ registry, events }: Reconciliation, cronJob: CronJob, due: Instant): Job | undefined {
  const { namespace, uid } = cronJob.metadata
  const existing = registry.get(jobs, namespace, jobName(cronJob, due))
  if (existing !== undefined) return controllerOf(existing, 'CronJob')?.uid === uid ? asJob(existing) : undefined
  const job = asJob(registry.create(jobs, jobFrom(cronJob, due)))
  events.record('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`)
  return job
}

/** Returns the name of the Job for a start. It contains the minutes since 1970, so that no start has two Jobs. */
function jobName({ metadata }: CronJob, due: Instant): string {
  return `${metadata.name}-${Math.floor(due / 60_000)}`
}

function jobFrom(cronJob: CronJob, due: Instant): object {
  const { metadata, spec } = cronJob
  const { labels, annotations } = spec.jobTemplate.metadata ?? {}
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronJob, due),
      namespace: metadata.namespace,
      labels,
      annotations: { ...annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': localTime(cronJob, due) },
      ownerReferences: [ownerReference(cronJob)],
    },
    spec: spec.jobTemplate.spec,
  }
}

/** Returns an instant in the time zone of the CronJob: `2026-01-01T03:00:00+01:00`. */
function localTime(cronJob: CronJob, at: Instant): string {
  const timetable = timetableOf(cronJob)
  const offsetMs = 'zone' in timetable ? timetable.zone.offsetMs(at) : 0
  const local = timestamp(at + offsetMs)
  if (offsetMs === 0) return local
  const distance = timestamp(Math.abs(offsetMs)).slice(11, 16)
  return local.replace('Z', `${offsetMs > 0 ? '+' : '-'}${distance}`)
}
