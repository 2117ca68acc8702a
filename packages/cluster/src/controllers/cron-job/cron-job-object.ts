// A CronJob as its controller reads it, and the Jobs that it controls.
import type { Instant } from '@dayfly/kit/clock'
import { parseSchedule } from '../../api/cron/schedule.ts'
import { timeZoneOf, utc } from '../../api/cron/time-zone.ts'
import type { JsonObject } from '../../api/json.ts'
import type { Registry } from '../../api/registry.ts'
import type { ObjectMeta, StoredObject } from '../../store/object.ts'
import { asJob, type Job } from '../job/job-object.ts'
import { controlledBy } from '../owners.ts'
import type { Timetable } from './occurrences.ts'

/** An ObjectReference to a Job. */
export type JobReference = {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

export type CronJobStatus = {
  readonly active?: readonly JobReference[]
  readonly lastScheduleTime?: string
  readonly lastSuccessfulTime?: string
}

/** A stored CronJob. Its defaults are filled in, so these members always exist. */
export type CronJob = StoredObject & {
  readonly spec: {
    readonly schedule: string
    readonly timeZone?: string
    readonly startingDeadlineSeconds?: number
    readonly concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace'
    readonly suspend: boolean
    readonly jobTemplate: {
      readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>
      readonly spec?: JsonObject
    }
    readonly successfulJobsHistoryLimit: number
    readonly failedJobsHistoryLimit: number
  }
  readonly status: CronJobStatus
}

export function asCronJob(object: StoredObject): CronJob {
  return object as CronJob
}

export function jobsOf(registry: Registry, cronJob: CronJob): readonly Job[] {
  return controlledBy(registry, cronJob, 'Job').map(asJob)
}

/** Why a CronJob has no timetable: the reason and the message of an Event. */
export type Unreadable = { readonly reason: string; readonly message: string }

/** Returns the timetable. The API server has validated it, but a data directory may hold an older object. */
export function timetableOf({ spec }: CronJob): Timetable | Unreadable {
  const { schedule: text, timeZone } = spec
  const zone = timeZone === undefined ? utc : timeZoneOf(timeZone)
  if (zone === undefined) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`
    return { reason: 'UnknownTimeZone', message }
  }
  const schedule = parseSchedule(text)
  if (schedule.is !== 'invalid') return { schedule, zone }
  return { reason: 'UnparseableSchedule', message: `unparseable schedule: ${JSON.stringify(text)} : ${schedule.why}` }
}

/** Returns the time from which starts count: the last start, or the creation. */
export function startsFrom({ metadata, status }: CronJob): Instant {
  return Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp)
}
