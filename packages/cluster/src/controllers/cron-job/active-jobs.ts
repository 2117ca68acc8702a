// Follows the Jobs of a CronJob: the active ones in its status, the last success, and the old Jobs that go.
import { isTrue } from '../../api/rules/job/job-spec.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import { isFinished, type Job } from '../job/job-object.ts'
import type { Reconciliation } from '../object-loop.ts'
import type { CronJob, CronJobStatus, JobReference } from './cron-job-object.ts'

/** Returns the status as the Jobs are now, and records what became of them. */
export function followJobs(context: Reconciliation, cronJob: CronJob, jobs: readonly Job[]): CronJobStatus {
  const { events } = context
  let status = cronJob.status
  for (const job of jobs) {
    const { uid, name } = job.metadata
    const isActive = (status.active ?? []).some((reference) => reference.uid === uid)
    if (!isActive && !isFinished(job)) {
      events.record('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`)
    } else if (isActive && isFinished(job)) {
      status = without(status, uid)
      const condition = isTrue(job.status, 'Complete') ? 'Complete' : 'Failed'
      events.record('Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${condition}`)
    } else if (isTrue(job.status, 'Complete')) status = withSuccess(status, job)
  }
  const known = new Set(jobs.map(({ metadata }) => metadata.uid))
  for (const { namespace, name, uid } of status.active ?? []) {
    if (known.has(uid) || context.registry.get('jobs.batch', namespace, name) !== undefined) continue
    status = without(status, uid)
    events.record('Normal', 'MissingJob', `Active job went missing: ${name}`)
  }
  return status
}

function withSuccess(status: CronJobStatus, { status: { completionTime } }: Job): CronJobStatus {
  const { lastSuccessfulTime } = status
  if (completionTime === undefined) return status
  if (lastSuccessfulTime !== undefined && Date.parse(completionTime) <= Date.parse(lastSuccessfulTime)) return status
  return { ...status, lastSuccessfulTime: completionTime }
}

/** Deletes the oldest finished Jobs beyond the limits. */
export function deleteOldJobs(context: Reconciliation, { spec }: CronJob, jobs: readonly Job[]): void {
  const limits = { Complete: spec.successfulJobsHistoryLimit, Failed: spec.failedJobsHistoryLimit }
  for (const [type, limit] of Object.entries(limits)) {
    const finished = jobs.filter((job) => isTrue(job.status, type)).sort(byStart)
    for (const job of finished.slice(0, Math.max(0, finished.length - limit))) deleteJob(context, job)
  }
}

/** Orders Jobs by start. Those that never started come last. */
function byStart(one: Job, other: Job): number {
  const start = ({ status: { startTime }, metadata: { name } }: Job) => `${startTime ?? '~'} ${name}`
  return start(one) < start(other) ? -1 : 1
}

/** Deletes the Jobs that a new one replaces. Returns the status without them. */
export function replaceJobs(context: Reconciliation, jobs: readonly Job[], status: CronJobStatus): CronJobStatus {
  const { active = [] } = status
  return active.reduce((rest, { uid }) => {
    const job = jobs.find(({ metadata }) => metadata.uid === uid)
    return job !== undefined && deleteJob(context, job) ? without(rest, uid) : rest
  }, status)
}

/** Returns whether the Job is deleted. */
function deleteJob({ registry, events }: Reconciliation, { metadata }: Job): boolean {
  const { namespace, name, uid } = metadata
  let isDeleted = false
  ignoreRefusal(() => {
    registry.delete('jobs.batch', namespace, name, { preconditions: { uid }, propagationPolicy: 'Background' })
    events.record('Normal', 'SuccessfulDelete', `Deleted job ${name}`)
    isDeleted = true
  })
  return isDeleted
}

export function referenceTo({ apiVersion, kind, metadata }: Job): JobReference {
  const { namespace = '', name, uid, resourceVersion } = metadata
  return { apiVersion, kind, namespace, name, uid, resourceVersion }
}

function without(status: CronJobStatus, uid: string): CronJobStatus {
  return { ...status, active: (status.active ?? []).filter((reference) => reference.uid !== uid) }
}
