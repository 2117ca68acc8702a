// The back-off of a Job before it replaces a failed pod: 10 s, doubled by each failure since the last success, at most 10 minutes.
import type { Instant } from '@dayfly/kit/clock'
import { endedAt, type JobPod } from './job-pod.ts'

const firstMs = 10_000
const longestMs = 600_000

export type Backoff = { readonly failures: number; readonly lastFailure: Instant }

export const noBackoff: Backoff = { failures: 0, lastFailure: 0 }

/** The back-off after these pods, which were not counted before. */
export function nextBackoff(before: Backoff, succeeded: readonly JobPod[], failed: readonly JobPod[]): Backoff {
  const success = succeeded.length === 0 ? Number.NEGATIVE_INFINITY : Math.max(...succeeded.map(endedAt))
  const since = failed.map(endedAt).filter((end) => end > success)
  const from = succeeded.length === 0 ? before : noBackoff
  return { failures: from.failures + since.length, lastFailure: Math.max(from.lastFailure, ...since) }
}

/** Milliseconds until the next pod may be created; 0 or less if it may be created now. */
export function remainingMs({ failures, lastFailure }: Backoff, now: Instant): number {
  if (failures === 0) return 0
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) - (now - lastFailure)
}
