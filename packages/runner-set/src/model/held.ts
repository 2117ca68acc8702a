// Why runners that a set needs are not started now.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from './failure.ts'

/** It is unknown whether runners are missing, or a check comes first. */
export type HeldUnjudged = 'paused' | 'demand-unknown' | 'pods-unknown' | 'template-unchecked'

/** The cause that keeps missing runners from being started. */
export type HeldBy =
  | { readonly is: HeldUnjudged }
  | { readonly is: 'template-refused' | 'blocked'; readonly failure: Failure }
  /** The account has used up its registrations. */
  | { readonly is: 'forge-limit'; readonly until: Instant | undefined }
  /** The last registration failed, and is repeated later. */
  | { readonly is: 'registration-failed'; readonly until: Instant }
  /** So many pods exist, and `max` allows no more. */
  | { readonly is: 'max'; readonly occupied: number }
  /** The ceiling that sets share allows no more: so many pods of this set exist, and the others have or keep so many places. */
  | {
      readonly is: 'pool'
      readonly pool: string
      readonly max: number
      readonly others: number
      readonly occupied: number
    }
  /** The pods of another set of the pool are not known. */
  | { readonly is: 'pool-unknown'; readonly pool: string }
  /** A ResourceQuota has room for so many pods of the set, and no more. */
  | { readonly is: 'quota'; readonly quota: string; readonly resource: string; readonly pods: number }
  /** The replacements of runners whose start failed wait. */
  | { readonly is: 'failed-starts'; readonly failures: number; readonly until: Instant }
  /** After several failed starts one runner at a time tries. @param unproved runners that try now */
  | { readonly is: 'probe'; readonly failures: number; readonly unproved: number; readonly until: Instant | undefined }
  /** So many idle runners left by themselves: one spare at a time tries, after a wait. */
  | { readonly is: 'spares-leave'; readonly runners: number; readonly until: Instant }
  /** The API server refused pods of the set before: few starts at a time try. */
  | { readonly is: 'caution'; readonly failure: Failure }
  | { readonly is: 'starts-per-tick' }

/** @param count undefined while it is unknown how many runners are missing */
export type Held = { readonly count: number | undefined; readonly why: HeldBy }
