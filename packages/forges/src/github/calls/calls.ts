// How many registrations and removals of one account are under way at once. GitHub allows a client 100 requests at once
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits).
import type { WidthPolicy } from '@dayfly/kit/adaptive-width'

/** A client of an account needs this many connections, and a few for its other calls. */
export const callsAtOnceMax = 64

/** It begins with the most, because a burst of jobs is over before a small width has grown. Refusals and waiting calls shrink it. */
export const callsPolicy: WidthPolicy = {
  start: callsAtOnceMax,
  least: 4,
  most: callsAtOnceMax,
  waitingLow: 32,
  waitingHigh: 48,
}
