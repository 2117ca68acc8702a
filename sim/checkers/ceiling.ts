// A set never has more living pods than its maximum allows, from the moment in which the store has them.
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { Instant } from '@dayfly/kit/clock'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import type { Checker } from './checker.ts'

/** The controller learns of a lower maximum by a watch, and a pod may be on its way. */
const learnMs = 120_000

export const ceiling: Checker = {
  name: 'ceiling',
  watch: (world, broken) => {
    const { registry, clock } = world
    // The key is the UID: the pods of a set that was deleted leave while the next one of that name begins.
    const allowed = new Map<string, { readonly max: number; until: number }[]>()
    const learn = ({ metadata, spec }: StoredObject) => {
      const known = allowed.get(metadata.uid) ?? []
      const max = Number(Object(spec).scale?.max)
      const last = known.at(-1)
      if (last?.max === max) return
      if (last) last.until = clock.now() + learnMs
      allowed.set(metadata.uid, [...known, { max, until: Number.POSITIVE_INFINITY }])
    }
    for (const set of registry.list('runnersets.dayfly.dev')) learn(set)
    registry.subscribe('runnersets.dayfly.dev', ({ object }) => learn(object))
    const unfinished = createUnfinished()
    registry.subscribe('pods', ({ type, object }) => {
      const set = setOf(object)
      if (set === undefined) return
      unfinished.see(set, object, type === 'DELETED')
      const known = type === 'ADDED' ? allowed.get(set) : undefined
      if (!known) return
      const max = Math.max(...known.flatMap((one) => (one.until >= clock.now() ? [one.max] : [])))
      const pods = unfinished.of(set)
      if (pods.size <= max) return
      const living = [...pods.values()].filter((pod) => isLiving(clock.now(), pod)).length
      if (living > max)
        broken(`the set of ${object.metadata.name} has ${living} living pods, and its maximum is ${max}`)
    })
  },
}

/** The pods of each set that have not ended, by the set's UID and their own. */
function createUnfinished() {
  const bySet = new Map<string, Map<string, StoredObject>>()
  const of = (set: string): Map<string, StoredObject> => {
    const known = bySet.get(set) ?? new Map<string, StoredObject>()
    bySet.set(set, known)
    return known
  }
  const see = (set: string, pod: StoredObject, isGone: boolean) => {
    if (isGone || ['Succeeded', 'Failed'].includes(Object(pod['status']).phase)) of(set).delete(pod.metadata.uid)
    else of(set).set(pod.metadata.uid, pod)
  }
  return { of, see }
}

/** Returns the UID of the set that owns the pod. */
function setOf({ metadata }: StoredObject): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === 'RunnerSet')?.uid
}

/** A controller may believe that it is so much later than it is. Its time is the API server's, within a tolerance (`packages/kubernetes/src/server-time.ts`). */
const earlyMs = 6_000

/** A pod that is still there a while after its deletion deadline is stuck, and frees its place. */
function isLiving(now: Instant, { metadata: { deletionTimestamp } }: StoredObject): boolean {
  return deletionTimestamp === undefined || now < Date.parse(deletionTimestamp) + defaultLimits.terminationMs - earlyMs
}
