// A set never has more living pods than its maximum allows, from the moment in which the store has them.
import type { Checker } from './checker.ts'
import { followMaxima } from './maxima.ts'
import { createUnfinished, isLiving, setOf } from './unfinished.ts'

export const ceiling: Checker = {
  name: 'ceiling',
  watch: (world, broken) => {
    const { registry, clock } = world
    // The key is the UID: the pods of a set that was deleted leave while the next one of that name begins.
    const maxOf = followMaxima(world, ({ metadata }) => metadata.uid)
    const unfinished = createUnfinished()
    registry.subscribe('pods', ({ type, object }) => {
      const set = setOf(object)
      if (set === undefined) return
      unfinished.see(set, object, type === 'DELETED')
      const max = type === 'ADDED' ? maxOf(set) : undefined
      if (max === undefined) return
      const pods = unfinished.of(set)
      if (pods.size <= max) return
      const living = [...pods.values()].filter((pod) => isLiving(clock.now(), pod)).length
      if (living > max)
        broken(`the set of ${object.metadata.name} has ${living} living pods, and its maximum is ${max}`)
    })
  },
}
