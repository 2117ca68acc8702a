// The instants of a local time. At a change of the clocks a local time exists twice, or not at all.
import type { Instant } from './clock.ts'

const minute = 60_000
const day = 86_400_000

/** A local time as if it were UTC, in milliseconds: it counts days and minutes, and is no instant. */
export type LocalTime = number

/** A formatter costs far more than a look at it. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns whether this runtime knows a time zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    formatOf(timeZone)
    return true
  } catch {
    return false
  }
}

/** Returns what a clock in a zone shows. */
export function localTime(at: Instant, timeZone: string): LocalTime {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) parts[type] = Number(value)
  const { year = 0, month = 1, day: date = 1, hour = 0, minute: minutes = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, date, hour, minutes, second)
}

/** Returns the first and the last instant at which a clock in a zone shows a time. If it skips that time, both are the end of the gap. */
export function instantsOf(local: LocalTime, timeZone: string): { readonly first: Instant; readonly last: Instant } {
  const offsetAt = (at: Instant) => localTime(at, timeZone) - at
  const found = [local - offsetAt(local - day), local - offsetAt(local + day)]
  const first = Math.min(...found)
  const last = Math.max(...found)
  const shown = [first, last].filter((at) => localTime(at, timeZone) === local)
  const [one = gapEnd(first, last, local, timeZone), other = one] = shown
  return { first: one, last: other }
}

/** Returns the first minute at which the clock shows a later time. */
function gapEnd(from: Instant, to: Instant, local: LocalTime, timeZone: string): Instant {
  let before = from
  let after = to
  while (after - before > minute) {
    const middle = before + Math.floor((after - before) / minute / 2) * minute
    if (localTime(middle, timeZone) < local) before = middle
    else after = middle
  }
  return localTime(before, timeZone) >= local ? before : after
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const numbers = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const times = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', ...numbers, ...times })
  formats.set(timeZone, format)
  return format
}
