// Reads the Retry-After header of an answer (https://www.rfc-editor.org/rfc/rfc9110#name-retry-after).
import type { Instant } from './clock.ts'

/** The header names are in lower case. */
type Headers = Readonly<Record<string, string>>

/**
 * Returns how many milliseconds the server asks the client to wait, at most `maxMs`. Returns undefined if the header is missing, unreadable,
 * zero or in the past: then the caller's usual back-off applies. A date is compared with the answer's Date header, if there is one. A wrong
 * clock of this machine then leads neither to a flood of requests nor to a stall.
 */
export function retryAfterMs(
  headers: Headers,
  now: Instant,
  { maxMs }: { readonly maxMs: number },
): number | undefined {
  const wait = statedWaitMs(headers, now)
  return wait !== undefined && wait > 0 ? Math.min(wait, maxMs) : undefined
}

/** Returns the milliseconds that the header states; zero or negative if the time has passed, undefined if the header is missing or unreadable. */
export function statedWaitMs(headers: Headers, now: Instant): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  const wait = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : parseDate(value) - serverTime(headers, now)
  return Number.isNaN(wait) ? undefined : wait
}

/** Returns the server's time when it answered: its Date header, or `now` if that is missing or unreadable. */
export function serverTime(headers: Headers, now: Instant): Instant {
  const time = parseDate(headers['date']?.trim() ?? '')
  return Number.isNaN(time) ? now : time
}

/** HTTP allows three forms. The one of C's asctime() has no time zone: it is in UTC. */
function parseDate(text: string): Instant {
  if (/^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(text)) return Date.parse(`${text} GMT`)
  return /^[A-Z][a-z]{2,8}, .*:\d\d GMT$|^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
}
