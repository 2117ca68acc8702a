// The maximum of each set, and the earlier ones that its controller may still believe in.
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { World } from '../world.ts'

/** The controller learns of a lower maximum by a watch, and what follows from the old one may be on its way. */
export const learnMs = 120_000

/** @param keyOf returns the same text for what counts as one set. Returns the highest maximum of a set that may hold now; undefined if there was no such set. */
export function followMaxima({ registry, clock }: World, keyOf: (set: StoredObject) => string) {
  const allowed = new Map<string, { readonly max: number; until: number }[]>()
  const learn = (set: StoredObject) => {
    const known = allowed.get(keyOf(set)) ?? []
    const max = Number(Object(set['spec']).scale?.max)
    const last = known.at(-1)
    if (last?.max === max) return
    if (last) last.until = clock.now() + learnMs
    allowed.set(keyOf(set), [...known, { max, until: Number.POSITIVE_INFINITY }])
  }
  for (const set of registry.list('runnersets.dayfly.dev')) learn(set)
  registry.subscribe('runnersets.dayfly.dev', ({ object }) => learn(object))
  return (key: string): number | undefined => {
    const known = allowed.get(key)
    return known && Math.max(...known.flatMap((one) => (one.until >= clock.now() ? [one.max] : [])))
  }
}
