// The CronJob controller starts Jobs at the times of a schedule, and removes old ones (Kubernetes: pkg/controller/cronjob).
import type { Clock } from '@dayfly/kit/clock'
import type { Registry } from '../../api/registry.ts'
import type { StoredObject } from '../../store/object.ts'
import { startObjectLoop } from '../object-loop.ts'
import { asCronJob, timetableOf } from './cron-job-object.ts'
import { nextOccurrence } from './occurrences.ts'
import { syncCronJob } from './sync-cron-job.ts'

/** Starts the controller. Returns a function that stops it. */
export function startCronJobController(options: { readonly registry: Registry; readonly clock: Clock }): () => void {
  const kind = { resource: 'cronjobs.batch', kind: 'CronJob', component: 'cronjob-controller', owned: ['jobs.batch'] }
  return startObjectLoop({
    ...options,
    ...kind,
    delayMs: (object, before) => untilNewSchedule(options.clock, object, before),
    reconcile: (context, object) => syncCronJob(context, asCronJob(object)),
  }).stop
}

/** A new schedule begins with its next time. Without the delay, the CronJob would make up for times before the change. */
function untilNewSchedule(clock: Clock, object: StoredObject, before: StoredObject | undefined): number {
  if (before === undefined) return 0
  const [cronJob, known] = [asCronJob(object), asCronJob(before)]
  const { schedule, timeZone } = known.spec
  if (cronJob.spec.schedule === schedule && cronJob.spec.timeZone === timeZone) return 0
  const timetable = timetableOf(cronJob)
  if ('reason' in timetable) return 0
  return Math.max(0, (nextOccurrence(timetable, clock.now()) ?? 0) - clock.now())
}
