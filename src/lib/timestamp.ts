// Timestamps in the format of the Kubernetes API (RFC 3339, UTC).
import type { Instant } from './clock.ts'

/** Returns the time in whole seconds: `2026-01-01T00:00:00Z`. Fractions of a second are cut off. */
export function timestamp(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** Returns the time with microseconds, as Leases have it (MicroTime): `2026-01-01T00:00:00.000000Z`. */
export function microTimestamp(at: Instant): string {
  return new Date(at).toISOString().replace('Z', '000Z')
}
