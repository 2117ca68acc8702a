// The usual need of an hour of the week: the middle of its peaks in the last four weeks, so that one unusual week decides nothing.
import type { DemandDay, UsualNeed } from '../model/usual-demand.ts'

/** An hour of local time. `date`: midnight of its day, as if it were UTC. */
export type LocalHour = { readonly date: number; readonly hour: number }

const dayMs = 86_400_000
const hours = 24
const weeksKept = 4
/** One week shows no habit. */
const weeksNeeded = 2
const unseen = '-'

/** Returns what was usual at an hour, and how many weeks say so. 0 runners while too few weeks are known. */
export function usualAt(days: readonly DemandDay[], { date, hour }: LocalHour): Pick<UsualNeed, 'runners' | 'weeks'> {
  const seen = Array.from({ length: weeksKept }, (_, week) =>
    peakAt(days, { date: date - (week + 1) * 7 * dayMs, hour }),
  )
    .filter((peak) => peak !== undefined)
    .sort((one, other) => one - other)
  // The lower one of two middle ones: at least half of the weeks needed so many.
  const runners = seen.length < weeksNeeded ? 0 : (seen[(seen.length - 1) >> 1] ?? 0)
  return { runners, weeks: seen.length }
}

/** Returns the most jobs at once in an hour; undefined if nobody saw it. */
export function peakAt(days: readonly DemandDay[], { date, hour }: LocalHour): number | undefined {
  const name = dayName(date)
  const peak = days.find(({ day }) => day === name)?.peaks.split(' ')[hour]
  return peak === undefined || peak === unseen ? undefined : Number(peak)
}

/** Returns the days with the peak of one hour, the newest first. Days that no later hour compares with are left out. */
export function withPeak(days: readonly DemandDay[], { date, hour }: LocalHour, jobs: number): readonly DemandDay[] {
  const name = dayName(date)
  const oldest = dayName(date - weeksKept * 7 * dayMs)
  const known = days.find(({ day }) => day === name)?.peaks.split(' ') ?? Array<string>(hours).fill(unseen)
  const peaks = known.map((peak, at) => (at === hour ? String(jobs) : peak)).join(' ')
  return [{ day: name, peaks }, ...days.filter(({ day }) => day < name && day >= oldest)]
}

/** Returns the days of a stored status, the newest first. An entry that cannot be read is left out. */
export function storedDays(stored: unknown): readonly DemandDay[] {
  if (!Array.isArray(stored)) return []
  const found = stored.filter(isDay).map(({ day, peaks }) => ({ day, peaks }))
  return found.sort((one, other) => (one.day < other.day ? 1 : -1)).slice(0, weeksKept * 7 + 1)
}

/** Returns whether enough weeks are known. Until then, no runner is kept. */
export function isUsualKnown({ weeks }: Pick<UsualNeed, 'weeks'>): boolean {
  return weeks >= weeksNeeded
}

/**
 * Returns the reason of the need, for example `Mondays at 09:00 Europe/Berlin, as in 3 of the last 4 weeks`, or why it is not known yet.
 * Undefined if no runner is usual at that hour.
 */
export function usualText({ runners, weekday, hour, timeZone, weeks }: UsualNeed): string | undefined {
  const time = `${dayNames[weekday]} at ${String(hour).padStart(2, '0')}:00 ${timeZone}`
  if (!isUsualKnown({ weeks })) return `${time} are not known yet: ${weeks} of ${weeksNeeded} weeks were seen`
  return runners > 0 ? `${time}, as in ${weeks} of the last ${weeksKept} weeks` : undefined
}

const dayNames: Readonly<Record<UsualNeed['weekday'], string>> = {
  Sun: 'Sundays',
  Mon: 'Mondays',
  Tue: 'Tuesdays',
  Wed: 'Wednesdays',
  Thu: 'Thursdays',
  Fri: 'Fridays',
  Sat: 'Saturdays',
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/
const peaksForm = new RegExp(`^(${unseen}|\\d{1,6})( (${unseen}|\\d{1,6})){${hours - 1}}$`)

function isDay(value: unknown): value is DemandDay {
  const { day, peaks } = (value ?? {}) as Partial<Record<keyof DemandDay, unknown>>
  return typeof day === 'string' && dayForm.test(day) && typeof peaks === 'string' && peaksForm.test(peaks)
}

function dayName(date: number): string {
  return new Date(date).toISOString().slice(0, 10)
}
