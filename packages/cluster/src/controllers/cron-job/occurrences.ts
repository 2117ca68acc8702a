// Calculates when a schedule is due. It is pure. A local time that a change of the clock skips never comes, and one that it repeats
// comes twice, as in Kubernetes.
// Source: https://github.com/robfig/cron/blob/v3.0.1/spec.go
import type { Instant } from '@dayfly/kit/clock'
import type { Schedule } from '../../api/cron/schedule.ts'
import type { TimeZone } from '../../api/cron/time-zone.ts'

/** A schedule in the time zone that it is read in. */
export type Timetable = { readonly schedule: Schedule; readonly zone: TimeZone }

type Calendar = Extract<Schedule, { is: 'calendar' }>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The search for the next occurrence ends after this many years: 30 February never comes. */
const yearsMax = 5

/** No local time is further ahead of UTC or behind it. */
const offsetMax = 14 * hourMs

/** The number of missed starts above which Kubernetes warns. */
const manyMissed = 100

/** Returns the first occurrence after an instant, or undefined if there is none within five years. */
export function nextOccurrence({ schedule, zone }: Timetable, after: Instant): Instant | undefined {
  if (schedule.is === 'interval') return Math.floor(after / 1_000) * 1_000 + schedule.ms
  const first = localDay(zone, after)
  const lastYear = yearOf(first) + yearsMax
  for (let day = first; yearOf(day) <= lastYear; day++) {
    const found = matchesDay(schedule, day) ? instantsOf(schedule, zone, day).find((at) => at > after) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

export type MissedStart = {
  /** The latest occurrence. Those before it are not made up for. */
  readonly at: Instant
  /** Whether so many occurrences have passed that the clock or the controller was probably wrong. */
  readonly isOneOfMany: boolean
}

/** Returns the start that is due: the latest occurrence after `since` and not after `now`. */
export function missedStart(timetable: Timetable, since: Instant, now: Instant): MissedStart | undefined {
  const first = nextOccurrence(timetable, since)
  if (first === undefined || first > now) return undefined
  const second = nextOccurrence(timetable, first)
  if (second === undefined || second > now) return { at: first, isOneOfMany: false }
  // Kubernetes estimates the number in the same way, because counting takes long.
  const count = Math.floor((now - first) / (second - first)) + 1
  return { at: lastOccurrence(timetable, first, now), isOneOfMany: count > manyMissed }
}

/** Returns the last occurrence until `now`. @param known an earlier occurrence */
function lastOccurrence({ schedule, zone }: Timetable, known: Instant, now: Instant): Instant {
  if (schedule.is === 'interval') return known + Math.floor((now - known) / schedule.ms) * schedule.ms
  for (let day = localDay(zone, now); day > localDay(zone, known); day--) {
    const found = matchesDay(schedule, day) ? instantsOf(schedule, zone, day).findLast((at) => at <= now) : undefined
    if (found !== undefined) return found
  }
  return instantsOf(schedule, zone, localDay(zone, known)).findLast((at) => at <= now) ?? known
}

/** Returns the local date of an instant, as a number of days since 1970-01-01. */
function localDay(zone: TimeZone, at: Instant): number {
  return Math.floor((at + zone.offsetMs(at)) / dayMs)
}

function yearOf(day: number): number {
  return new Date(day * dayMs).getUTCFullYear()
}

function matchesDay({ daysOfMonth, months, daysOfWeek, needsBothDays }: Calendar, day: number): boolean {
  const date = new Date(day * dayMs)
  if (!months.has(date.getUTCMonth() + 1)) return false
  const [ofMonth, ofWeek] = [daysOfMonth.has(date.getUTCDate()), daysOfWeek.has(date.getUTCDay())]
  return needsBothDays ? ofMonth && ofWeek : ofMonth || ofWeek
}

/** Returns the instants of a local date that match hour and minute, in order. */
function instantsOf({ hours, minutes }: Calendar, zone: TimeZone, day: number): readonly Instant[] {
  const offsets = new Set([-offsetMax, dayMs + offsetMax].map((margin) => zone.offsetMs(day * dayMs + margin)))
  const found: Instant[] = []
  for (const offset of offsets) {
    for (const hour of hours) {
      for (const minute of minutes) {
        const at = day * dayMs + hour * hourMs + minute * minuteMs - offset
        // On the day of a change, each local time is looked up with the offset from before and with the one from after.
        if (offsets.size === 1 || zone.offsetMs(at) === offset) found.push(at)
      }
    }
  }
  return found.sort((one, other) => one - other)
}
