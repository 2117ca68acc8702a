// A checker watches a world and says which promise was broken. It reads the store, the forges and the requests, and never the controller's memory.
import type { World } from '../world.ts'

export type CheckerName =
  | 'busy-runner'
  | 'used-once'
  | 'ceiling'
  | 'pool'
  | 'capacity'
  | 'one-leader'
  | 'jobs'
  | 'messages'
  | 'reruns'
  | 'strangers'
  | 'rest'
  | 'age'
  | 'waiting-jobs'

export type Checker = {
  readonly name: CheckerName
  /** Starts to watch. `broken` is called for each violation, at its moment. */
  readonly watch?: (world: World, broken: (sentence: string) => void) => void
  /** Starts to follow a world without faults. The result is called every few seconds, and returns what has lasted too long. */
  readonly follow?: (world: World) => () => readonly string[]
  /** Returns what is still wrong in a world that had time to settle without faults. */
  readonly atRest?: (world: World) => readonly string[]
  /** Returns what is left after every set was deleted. */
  readonly atEnd?: (world: World) => readonly string[]
}

/** A promise that a seed broke, with the checker that saw it. */
export type Broken = { readonly by: CheckerName | 'exception'; readonly sentence: string }
