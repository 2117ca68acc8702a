// Whether the runners of a set take job after job until the controller cordons them.
import { forgeTraits } from '../model/forge-traits.ts'
import type { RunnerSet } from '../model/runner-set.ts'

/** Returns whether the forge of the set leaves a runner in service after its job, so that only a cordon keeps it from the next one. */
export function needsCordon({ source }: Pick<RunnerSet, 'source'>): boolean {
  return forgeTraits[source.kind].ephemeral === 'by-cordon'
}
