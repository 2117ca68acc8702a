// How many idle runners a set keeps now, by its schedule, and when that changes next.
import type { Instant } from '@dayfly/kit/clock'
import { TimeZone } from '@dayfly/kit/local-time'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Scale } from '../model/runner-set.ts'
import { type Minimum, type ScheduleWindow, weekdays } from '../model/schedule.ts'

type Span = { readonly window: ScheduleWindow; readonly start: Instant; readonly end: Instant }

const day = 86_400_000
const minute = 60_000
/** Each window begins again within a week, and may have begun yesterday. */
const daysAhead = 8

/** Remembers the last answer: one tick after another asks, and a schedule changes a few times a day. */
export class Minimums {
  #last: { readonly scale: Scale; readonly minimum: Minimum; readonly from: Instant; readonly to: Instant } | undefined

  at(scale: Scale, now: Instant): Minimum {
    const last = this.#last
    if (last && last.scale === scale && last.from <= now && now < last.to) return last.minimum
    const minimum = minimumOf(scale, now)
    this.#last = { scale, minimum, from: now, to: minimum.until ?? now + day }
    return minimum
  }
}

/** Returns the `min` that holds now: the highest one of several windows. */
export function minimumOf({ min, schedule }: Scale, now: Instant): Minimum {
  return schedule ? judge(min, schedule, now) : { min, window: undefined, until: undefined }
}

/** Returns the window that says so, and until when; undefined outside of all windows. */
export function minimumText({ window, until }: Minimum): string | undefined {
  if (!window) return undefined
  const limits = `${timeText(window.from)} to ${timeText(window.to)} ${window.timeZone}`
  const name = window.name === undefined ? limits : `${window.name}, ${limits}`
  return until === undefined ? `window ${name}` : `window ${name}, until ${timestamp(until)}`
}

function timeText(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

function judge(min: number, schedule: readonly ScheduleWindow[], now: Instant): Minimum {
  const spans = schedule.flatMap((window) => spansOf(window, now))
  const windowAt = (at: Instant) =>
    spans
      .filter(({ start, end }) => start <= at && at < end)
      .map(({ window }) => window)
      .reduce<ScheduleWindow | undefined>((best, one) => (best && best.min >= one.min ? best : one), undefined)
  const minAt = (at: Instant) => windowAt(at)?.min ?? min
  const present = minAt(now)
  const changes = spans
    .flatMap(({ start, end }) => [start, end])
    .filter((at) => at > now && at < now + daysAhead * day && minAt(at) !== present)
  return { min: present, window: windowAt(now), until: changes.length > 0 ? Math.min(...changes) : undefined }
}

/** Where the clock shows a limit twice, the window begins at the first and ends at the last one: a runner too many costs less than a job that waits. */
function spansOf(window: ScheduleWindow, now: Instant): readonly Span[] {
  const { from, to } = window
  const zone = new TimeZone(window.timeZone)
  const today = Math.floor(zone.localTime(now) / day) * day
  const length = to > from ? 0 : day
  return Array.from({ length: daysAhead + 2 }, (_, index) => today + (index - 1) * day)
    .filter((date) => window.days.some((name) => weekdays[new Date(date).getUTCDay()] === name))
    .map((date) => ({
      window,
      start: zone.instantsOf(date + from * minute).first,
      end: zone.instantsOf(date + length + to * minute).last,
    }))
}
