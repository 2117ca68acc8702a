// Numbers, durations and times as text. Unknown is "?", never 0.
import type { Instant } from '@dayfly/kit/clock'

export const unknown = '?'
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export function count(value: number | null): string {
  return value === null ? unknown : numbers.format(value)
}

export type Zone = { readonly day: Intl.DateTimeFormat; readonly time: Intl.DateTimeFormat }

/** Without a name, it is the zone of the reader. */
export function zoneOf(timeZone?: string): Zone {
  const zone = timeZone === undefined ? {} : { timeZone }
  return {
    day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...zone }),
    time: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', ...zone }),
  }
}

/** It is made once: a format costs more than a thousand of its uses. */
const here = zoneOf()

/** Returns "1 job", "3 jobs" or "? jobs". */
export function counted(value: number | null, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Shows at most two units. Seconds disappear after ten minutes, because nobody needs them then. */
export function duration(ms: number | null): string {
  if (ms === null) return unknown
  if (ms < 1) return '0 s'
  if (ms < 100) return `${Math.round(ms)} ms`
  if (ms < second) return `${(ms / second).toFixed(1)} s`
  if (ms < minute) return `${Math.floor(ms / second)} s`
  if (ms < 10 * minute) return two(ms, [minute, 'min'], [second, 's'])
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return two(ms, [hour, 'h'], [minute, 'min'])
  return two(ms, [day, 'd'], [hour, 'h'])
}

/** A clock that differs by a second must not show a time in the future. */
export function ago(at: Instant | null, now: Instant): string {
  if (at === null) return unknown
  const ms = now - at
  return ms < second ? 'just now' : `${duration(ms)} ago`
}

export function inTime(at: Instant, now: Instant): string {
  return at <= now ? 'now' : `in ${duration(at - now + second - 1)}`
}

/** Shows the time of day, and the date if it is another day. */
export function timeOfDay(at: Instant | null, now: Instant, zone: Zone = here): string {
  if (at === null) return unknown
  const time = zone.time.format(at)
  const day = zone.day.format(at)
  return day === zone.day.format(now) ? time : `${day}, ${time}`
}

export function share(value: number | null): string {
  if (value === null) return unknown
  return value > 0 && value < 0.005 ? 'under 1 %' : `${Math.round(value * 100)} %`
}

export function hours(value: number): string {
  return value > 0 && value < 0.05 ? 'under 0.1 h' : `${numbers.format(value)} h`
}

export function money(amount: number, currency: string): string {
  return `${new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(amount)} ${currency}`
}

/** A price of one unit can be far below a cent. */
export function price(amount: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 }
  return `${new Intl.NumberFormat('en', digits).format(amount)} ${currency}`
}

/** Turns `image-missing` into "Image missing". */
export function spoken(word: string): string {
  const text = word.replaceAll('-', ' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

type Unit = readonly [ms: number, name: string]

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small)
  const whole = `${Math.floor(ms / large)} ${largeName}`
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`
}
