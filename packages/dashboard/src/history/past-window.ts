// The window of a question about the past, and the sums that lie in it.
import type { Instant } from '@dayfly/kit/clock'
import { type WindowName, windowMs } from '../model/trends.ts'
import { Bucket } from './bucket.ts'
import { contributionOf } from './contribution.ts'
import type { Followed } from './followed.ts'
import { fineMs, floorTo, type Hours, hourMs } from './hours.ts'

export type Past = {
  readonly hours: Hours
  /** Lives that are not over: their time until now counts. */
  readonly living: Iterable<Followed>
  /** From when on this process knows everything; null if it never led. */
  readonly since: Instant | null
}

export type PastWindow = {
  readonly window: WindowName
  readonly from: Instant
  readonly to: Instant
  readonly incompleteBefore: Instant | null
}

/** Returns the window, from the begin of a bucket on: it covers at least the time that was asked for. */
export function windowAt(window: WindowName, now: Instant, since: Instant | null): PastWindow {
  const from = floorTo(now - windowMs[window], window === '1h' ? fineMs : hourMs)
  const known = since ?? now
  return { window, from, to: now, incompleteBefore: known > from ? known : null }
}

/** Returns the sums of the window by name. */
export function sumsIn({ hours, living, since }: Past, { window, from, to }: PastWindow): Bucket {
  const all = new Bucket(from)
  for (const bucket of hours.since(from, window === '1h' ? fineMs : hourMs)) all.merge(bucket)
  if (since === null) return all
  for (const followed of living) {
    const contribution = contributionOf(followed, since, to)
    if (contribution) all.contribute(contribution, from, to + 1, 1)
  }
  return all
}
