// A set never has more living pods than its maximum allows, from the moment in which the store has them.
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { Checker } from './checker.ts'
import { createUnfinished, isLiving, setOf } from './unfinished.ts'

/** The controller learns of a lower maximum by a watch, and a pod may be on its way. */
export const learnMs = 120_000

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
