// The idle runners that a set must have at rest: its minimum of now, within the ceiling of its pool.
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { runnerLabel } from '../job-pods.ts'
import { minimumAt, worldStart } from '../schedules.ts'
import type { SetSpec } from '../sets.ts'
import type { World } from '../world.ts'

/** Returns the number that the set should have, also while it has another one. */
export function sparesOf(world: World, set: SetSpec): number {
  const { pool } = set
  const asked = askedOf(world, set)
  if (!pool) return asked
  const own = podsOf(world, set).length
  return Math.min(asked, Math.max(own + freePlaces(world, set), pool.floor))
}

/** Returns how many runners the set asks for now without any job. If it was installed again, it has forgotten what was usual. */
export function askedOf({ registry, clock }: World, set: SetSpec): number {
  const object = registry.get('runnersets.dayfly.dev', set.namespace, set.name)
  const isFirst = Date.parse(object?.metadata.creationTimestamp ?? '') === worldStart
  // A strategy by the share of busy runners never ends the last one.
  const least = set.percentage ? 1 : 0
  return Math.max(least, minimumAt(set, clock.now()), isFirst ? (set.usual ?? 0) : 0)
}

/** Returns the places of the pool that the set may still take; below 0 if its sets have more than the ceiling. Those that others keep are not free. */
export function freePlaces(world: World, set: SetSpec): number {
  const { namespace, pool } = set
  if (!pool) return Number.POSITIVE_INFINITY
  const others = world.sets.filter((one) => one !== set && one.namespace === namespace)
  const kept = others.map((one) => Math.max(podsOf(world, one).length, one.pool?.floor ?? 0))
  return pool.max - podsOf(world, set).length - kept.reduce((sum, places) => sum + places, 0)
}

/** Returns the pods of the set as it is now, and none of its jobs. */
export function podsOf({ registry, strangers, uids }: World, { namespace, name }: SetSpec) {
  const prefix = runnerPrefix({ name, uid: uids.get(name) ?? '' })
  return registry
    .list('pods', namespace)
    .filter(({ metadata }) => metadata.name.startsWith(prefix) && metadata.labels?.[runnerLabel] === undefined)
    .filter(({ metadata }) => !strangers.has(metadata.uid))
}
