// The sets of a pool never have more living pods than its ceiling, and no set takes a place that another one keeps by its floor.
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { Instant } from '@dayfly/kit/clock'
import type { Checker } from './checker.ts'
import { learnMs } from './maxima.ts'
import { createUnfinished, isLiving, setOf } from './unfinished.ts'

type Member = {
  readonly pool: string
  readonly max: number
  readonly floor: number
  /** Since when this is its part: a controller learns of a change later. */
  readonly since: Instant
}

export const pool: Checker = {
  name: 'pool',
  watch: ({ registry, clock }, broken) => {
    const members = new Map<string, Member>()
    const unfinished = createUnfinished()
    const learn = ({ metadata, spec }: StoredObject, isGone: boolean) => {
      const { pool: part, max = 0 } = Object(spec).scale ?? {}
      if (isGone || metadata.deletionTimestamp !== undefined || !part) return members.delete(metadata.uid)
      const pool = `${metadata.namespace}/${part.name}`
      // A set without places of its own is paused, and keeps none.
      const floor = max === 0 || Object(spec).paused ? 0 : part.floor
      const known = members.get(metadata.uid)
      if (known && known.floor === floor && known.max === part.max) return known
      return members.set(metadata.uid, { pool, max: part.max, floor, since: clock.now() })
    }
    for (const set of registry.list('runnersets.dayfly.dev')) learn(set, false)
    registry.subscribe('runnersets.dayfly.dev', ({ type, object }) => learn(object, type === 'DELETED'))
    const livingOf = (set: string) =>
      [...unfinished.of(set).values()].filter((pod) => isLiving(clock.now(), pod)).length
    registry.subscribe('pods', ({ type, object }) => {
      const set = setOf(object)
      if (set === undefined) return
      unfinished.see(set, object, type === 'DELETED')
      const own = type === 'ADDED' ? members.get(set) : undefined
      if (!own) return
      const others = [...members].filter(([uid, { pool }]) => pool === own.pool && uid !== set)
      const living = livingOf(set)
      const taken = others.reduce((sum, [uid]) => sum + livingOf(uid), living)
      if (taken > own.max) broken(`the pool ${own.pool} has ${taken} living pods, and its ceiling is ${own.max}`)
      const isSettled = [own, ...others.map(([, member]) => member)].every(({ since }) => clock.now() > since + learnMs)
      const kept = others.reduce((sum, [uid, { floor }]) => sum + Math.max(floor, livingOf(uid)), living)
      if (isSettled && living > own.floor && kept > own.max) {
        broken(`${object.metadata.name} took a place of the pool ${own.pool} that another set keeps by its floor`)
      }
    })
  },
}
