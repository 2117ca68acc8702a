// The operator's bound on every life: the one reason for which Dayfly ends a busy runner.
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import type { SetSpec } from '../sets.ts'
import type { World } from '../world.ts'
import { earlyMs } from './unfinished.ts'

/** Returns the set of a runner as it is now; undefined also for a runner of an earlier set of its name. */
export function setOfRunner({ sets, uids }: World, name: string): SetSpec | undefined {
  return sets.find((one) => name.startsWith(runnerPrefix({ name: one.name, uid: uids.get(one.name) ?? '' })))
}

/** Whether the runner of that name is as old as its set allows. False for a runner whose pod is gone. */
export function isOverBound(world: World, name: string): boolean {
  const { clock, registry } = world
  const set = setOfRunner(world, name)
  if (set?.lifeMaxS === undefined) return false
  const pod = registry.get('pods', set.namespace, name)
  return clock.now() >= Date.parse(pod?.metadata.creationTimestamp ?? '') + set.lifeMaxS * 1_000 - earlyMs
}
