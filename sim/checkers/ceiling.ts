// A set never has more living pods than its maximum allows, from the moment in which the store has them.
import type { StoredObject } from '../../src/embedded/store/object.ts'
import { defaultLimits } from '../../src/model/limits.ts'
import type { World } from '../world.ts'
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
    registry.subscribe('pods', ({ type, object }) => {
      const known = type === 'ADDED' ? allowed.get(setOf(object) ?? '') : undefined
      if (!known) return
      const max = Math.max(...known.flatMap((one) => (one.until >= clock.now() ? [one.max] : [])))
      const pods = registry.list('pods', object.metadata.namespace)
      const living = pods.filter((pod) => setOf(pod) === setOf(object) && isLiving(world, pod)).length
      if (living > max)
        broken(`the set of ${object.metadata.name} has ${living} living pods, and its maximum is ${max}`)
    })
  },
}

/** Returns the UID of the set that owns the pod. */
function setOf({ metadata }: StoredObject): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === 'RunnerSet')?.uid
}

/** A controller may believe that it is so much later than it is. Its time is the API server's, within a tolerance (`src/kubernetes/server-time.ts`). */
const earlyMs = 6_000

/** A pod that is still there a while after its deletion deadline is stuck, and frees its place. */
function isLiving({ clock }: World, { metadata: { deletionTimestamp }, status }: StoredObject): boolean {
  if (['Succeeded', 'Failed'].includes(Object(status).phase)) return false
  if (deletionTimestamp === undefined) return true
  return clock.now() < Date.parse(deletionTimestamp) + defaultLimits.terminationMs - earlyMs
}
