// A schedule of a set: windows of the week with a `min` of their own.
import type { Instant } from '@dayfly/kit/clock'

/** The first day is Sunday, as in `Date`. */
export const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

export type Weekday = (typeof weekdays)[number]

/** A window of the week, in the local time of its zone. */
export type ScheduleWindow = {
  readonly name: string | undefined
  /** A name of the IANA time zone database. */
  readonly timeZone: string
  /** The days on which it begins. */
  readonly days: readonly Weekday[]
  /** Minutes after midnight. */
  readonly from: number
  /** Minutes after midnight. At or before `from`, the window ends on the next day. */
  readonly to: number
  readonly min: number
}

export type Minimum = {
  readonly min: number
  /** The window that says so; undefined outside of all windows. */
  readonly window: ScheduleWindow | undefined
  /** When `min` changes next; undefined if it never does. */
  readonly until: Instant | undefined
}
