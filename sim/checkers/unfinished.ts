// The pods of each set that have not ended, as a checker sees them in the store.
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { Instant } from '@dayfly/kit/clock'
import { defaultLimits } from '@dayfly/runner-set/model/limits'

/** The pods of each set that have not ended, by the set's UID and their own. */
export function createUnfinished() {
  const bySet = new Map<string, Map<string, StoredObject>>()
  const of = (set: string): Map<string, StoredObject> => {
    const known = bySet.get(set) ?? new Map<string, StoredObject>()
    bySet.set(set, known)
    return known
  }
  const see = (set: string, pod: StoredObject, isGone: boolean) => {
    if (isGone || hasEnded(pod)) of(set).delete(pod.metadata.uid)
    else of(set).set(pod.metadata.uid, pod)
  }
  return { of, see }
}

export function hasEnded(pod: StoredObject): boolean {
  return ['Succeeded', 'Failed'].includes(Object(pod['status']).phase)
}

/** Returns the UID of the set that owns the pod. */
export function setOf({ metadata }: StoredObject): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === 'RunnerSet')?.uid
}

/** A controller may believe that it is so much later than it is. Its time is the API server's, within a tolerance (`packages/kubernetes/src/server-time.ts`). */
export const earlyMs = 6_000

/** A pod that is still there a while after its deletion deadline is stuck, and frees its place. */
export function isLiving(now: Instant, { metadata: { deletionTimestamp } }: StoredObject): boolean {
  return deletionTimestamp === undefined || now < Date.parse(deletionTimestamp) + defaultLimits.terminationMs - earlyMs
}
