// How many runners a set announces to a forge that gives it jobs at once, up to that number. The set cannot give one back.
import type { Instant } from '@dayfly/kit/clock'

/**
 * Why a set announces fewer runners than its maximum.
 * `pool`: other sets have the places of the shared ceiling. `quota`: a ResourceQuota has no more room. `no-room`: the cluster has not placed runners lately. `refused`: the API server refuses pods.
 * `failing`: runners fail to start. `forge-limit`: the forge allows no further registration now. `unchecked`: the template or the quotas
 * were not read yet.
 */
export type CapacityReason = 'pool' | 'quota' | 'no-room' | 'refused' | 'failing' | 'forge-limit' | 'unchecked'

export type Capacity = {
  /** At least 1: jobs that are queued while a set announces 0 never reach it (docs/reference/scale-set-protocol.md#s9-2). */
  readonly announced: number
  /** Undefined if the maximum is announced. */
  readonly limit: { readonly reason: CapacityReason; readonly detail: string } | undefined
  /** When the cluster last had no room for a runner, without a quota that says so; undefined if it always had. */
  readonly tightAt: Instant | undefined
  /** Since when more could be announced; undefined if not. */
  readonly moreSince: Instant | undefined
}
