// Timestamps in the format of the Kubernetes API (RFC 3339, UTC).
import type { Instant } from './clock.ts'

/** Returns the time in whole seconds: `2026-01-01T00:00:00Z`. Fractions of a second are cut off. */
export function timestamp(at: Instant): string {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  // A year that needs more or fewer digits, or no time at all.
  if (!(year >= 1000 && year <= 9999)) return `${date.toISOString().slice(0, 19)}Z`
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
  return `${year}-${two(month)}-${two(day)}T${time}Z`
}

/** Returns the time with microseconds, as Leases have it (MicroTime): `2026-01-01T00:00:00.000000Z`. */
export function microTimestamp(at: Instant): string {
  return new Date(at).toISOString().replace('Z', '000Z')
}

function two(part: number): string {
  return part < 10 ? `0${part}` : String(part)
}
