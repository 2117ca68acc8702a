// The time zones of the IANA database, as this version of Node.js knows them.
import type { Instant } from '@dayfly/kit/clock'

export type TimeZone = {
  /** Returns how far the local time is ahead of UTC. */
  readonly offsetMs: (at: Instant) => number
}

export const utc: TimeZone = { offsetMs: () => 0 }

/** Returns undefined for a name that the database does not have. */
export function timeZoneOf(name: string): TimeZone | undefined {
  // Some versions of Node.js also read offsets such as `+01:00`.
  if (!/^[A-Za-z]/.test(name)) return undefined
  const format = formatOf(name)
  if (format === undefined) return undefined
  return {
    offsetMs: (at) => {
      const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
      const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
      const day = [part('year'), part('month') - 1, part('day')] as const
      const local = Date.UTC(...day, part('hour'), part('minute'), part('second'))
      return local - Math.floor(at / 1_000) * 1_000
    },
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const two = '2-digit'
  const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', calendar: 'gregory', ...parts })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}
