// The next of several instants, of which some may be undefined.
import type { Instant } from '@dayfly/kit/clock'

/** Returns undefined if every instant is undefined. */
export function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  let first: Instant | undefined
  for (const instant of instants) if (instant !== undefined) first = Math.min(first ?? instant, instant)
  return first
}

/** Returns the earliest instant that is still to come; undefined if none is. */
export function earliestAfter(now: Instant, instants: readonly (Instant | undefined)[]): Instant | undefined {
  return earliest(instants.filter((instant) => instant !== undefined && instant > now))
}
