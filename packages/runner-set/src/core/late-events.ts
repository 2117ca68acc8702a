// Whether the events of a forge arrive long after they happened although the set was connected: the last count is old then, and a runner may have had a job.

import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '../model/failure.ts'
import type { LateEvents } from '../model/late-events.ts'
import type { Limits } from '../model/limits.ts'

/** Returns until when the last late event counts if no event arrives in time before. */
export function lateUntil({ at }: LateEvents, limits: Limits): Instant {
  return at + limits.failureMemoryMs
}

export function areLate(late: LateEvents | undefined, limits: Limits, now: Instant): late is LateEvents {
  return late !== undefined && now < lateUntil(late, limits)
}

/** Returns what the set shows while events arrive late; undefined if they do not. */
export function failureOfLate(late: LateEvents | undefined, limits: Limits, now: Instant): Failure | undefined {
  if (!areLate(late, limits, now)) return undefined
  return { reason: 'forge-events-late', message: `The last one arrived ${ageText(late.ms)} after it happened.` }
}
