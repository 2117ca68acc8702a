// The usual demand of a set: what the same hour of the week needed in the last weeks.
import type { Instant } from '@dayfly/kit/clock'
import type { Weekday } from './schedule.ts'

/** The set keeps runners ready for the usual demand of the hour (`spec.scale.usualDemand`). */
export type UsualDemandPolicy = {
  /** At most so many runners are kept for it, busy ones included. */
  readonly max: number
  /** A name of the IANA time zone database. The hours and days are those of its clock. */
  readonly timeZone: string
}

/** A day of the local time, as the status stores it. */
export type DemandDay = {
  /** A date such as `2026-11-23`. */
  readonly day: string
  /** The most jobs at once in each of its 24 hours, with spaces between them. `-`: nobody saw it, which is not zero. */
  readonly peaks: string
}

/** The usual need of this hour. Shortly before the next one, the higher need of both holds. */
export type UsualNeed = {
  /** At most the maximum of the policy; 0 if too little is known. */
  readonly runners: number
  /** The hour of the week that needs them, and the weeks in which it was seen. */
  readonly weekday: Weekday
  readonly hour: number
  readonly weeks: number
  readonly timeZone: string
  readonly until: Instant
}
