// The events that a forge sends about one runner set.
import type { Instant } from '../lib/clock.ts'
import type { Demand } from './demand.ts'
import type { Failure } from './failure.ts'

/** The ids that a new leader needs to find everything again, kept in the set's status. All are strings.
 *  A state always has the same members, empty where there is nothing, so that it can be merged over an older one. */
export type ForgeState = Readonly<Record<string, string>>

/** One event of the forge. The controller folds it into the set's state before it acknowledges the batch; acting on it may take minutes. */
export type ForgeEvent =
  | { readonly kind: 'demand'; readonly demand: Demand; readonly at: Instant }
  | {
      readonly kind: 'job-started'
      readonly runner: string
      readonly job: { readonly id: string; readonly name: string; readonly repository: string }
      readonly at: Instant
      /** When the job was queued at the forge, if the forge reports it. */
      readonly queuedAt: Instant | undefined
    }
  | {
      readonly kind: 'job-finished'
      readonly runner: string
      readonly jobId: string
      readonly result: string
      readonly at: Instant
    }
  | { readonly kind: 'state'; readonly state: ForgeState }
  /** Demand is unknown from now on, until a `demand` follows. The link retries by itself. */
  | { readonly kind: 'failing'; readonly failure: Failure; readonly since: Instant }
  /** Whether the forge's record of the set has the set's labels and group. `failure` names what differs and cannot be changed; undefined when both agree. */
  | { readonly kind: 'settings'; readonly failure: Failure | undefined }
