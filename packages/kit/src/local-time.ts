// The instants of a local time. At a change of the clocks a local time exists twice, or not at all.
import type { Instant } from './clock.ts'

const minute = 60_000
const day = 86_400_000

/** A local time as if it were UTC, in milliseconds: it counts days and minutes, and is no instant. */
export type LocalTime = number

/** Returns whether this runtime knows a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new TimeZone(name)
    return true
  } catch {
    return false
  }
}

export class TimeZone {
  /** It costs far more to make than to use. */
  readonly #format: Intl.DateTimeFormat

  /** Throws a RangeError for a zone that this runtime does not know. */
  constructor(name: string) {
    const numbers = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
    const times = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, calendar: 'gregory', ...numbers, ...times })
  }

  /** Returns what a clock in the zone shows. */
  localTime(at: Instant): LocalTime {
    const parts: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(at)) parts[type] = Number(value)
    const { year = 0, month = 1, day: date = 1, hour = 0, minute: minutes = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, date, hour, minutes, second)
  }

  /** Returns the first and the last instant at which the clock shows a time. If it skips that time, both are the end of the gap. */
  instantsOf(local: LocalTime): { readonly first: Instant; readonly last: Instant } {
    const found = [local - day, local + day].map((near) => local - (this.localTime(near) - near))
    const first = Math.min(...found)
    const last = Math.max(...found)
    const shown = [first, last].filter((at) => this.localTime(at) === local)
    const [one = this.#gapEnd(first, last, local), other = one] = shown
    return { first: one, last: other }
  }

  /** Returns the first minute at which the clock shows a later time. */
  #gapEnd(from: Instant, to: Instant, local: LocalTime): Instant {
    let before = from
    let after = to
    while (after - before > minute) {
      const middle = before + Math.floor((after - before) / minute / 2) * minute
      if (this.localTime(middle) < local) before = middle
      else after = middle
    }
    return after
  }
}
