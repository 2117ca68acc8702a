// How far a long run is.
import type { Broken } from '../checkers/checker.ts'
import type { SavedWorld } from '../saved-world.ts'
import { type Lap, nothingUsed, type Reading } from './laps.ts'
import type { Leftovers } from './leftovers.ts'
import type { Plan } from './plan.ts'
import type { Results } from './workload.ts'

/** A run at the end of one of its worlds. A file can hold it, and another process can go on from it. */
export type Progress = {
  readonly plan: Plan
  readonly laps: readonly Lap[]
  /** The broken promises, in order. The list stops at a hundred. */
  readonly broken: readonly Broken[]
  readonly results: Results
  readonly used: Reading
  readonly runnersMax: number
  readonly peakRssMb: number
  /** The objects at the beginning of the first world. */
  readonly before: Leftovers | undefined
  /** Undefined before the first world, after the last one, and after a world that did not come to rest. */
  readonly saved: SavedWorld | undefined
}

export function newRun(plan: Plan): Progress {
  const results = { queued: 0, finished: 0, succeeded: 0 }
  const nothing = { laps: [], broken: [], results, used: nothingUsed, runnersMax: 0, peakRssMb: 0 }
  return { plan, ...nothing, before: undefined, saved: undefined }
}

/** Whether there is no further world: the jobs of the plan are done, or the last world did not come to rest. */
export function isOver({ laps, saved }: Progress): boolean {
  return laps.length > 0 && saved === undefined
}
