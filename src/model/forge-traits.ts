// How the forges differ, as data: code outside a forge's own folder reads a trait and never asks which forge it is.
import type { Demand } from './demand.ts'
import type { ForgeKind } from './runner-set.ts'

export type ForgeTraits = {
  readonly demand: Demand['kind']
  /** `refuses-busy`: a removal proves that the runner is idle. Either the forge refuses to remove a busy runner, or our client
   *  first makes sure that the runner is idle and gets no job. */
  readonly removal: 'refuses-busy' | 'unguarded'
  /** `by-itself`: the forge ends a runner after one job. `by-cordon`: the controller must cordon the runner. */
  readonly ephemeral: 'by-itself' | 'by-cordon'
  /** A runner may begin a job this long after its cordon, in milliseconds. */
  readonly pickUpDelayMs: number
}

export const forgeTraits: Readonly<Record<ForgeKind, ForgeTraits>> = {
  github: { demand: 'assigned', removal: 'refuses-busy', ephemeral: 'by-itself', pickUpDelayMs: 0 },
  // A runner of Bitbucket asks for a step every 30 s, and 5 s more cover the way there (docs/reference/bitbucket.md#s3-6).
  bitbucket: { demand: 'utilisation', removal: 'refuses-busy', ephemeral: 'by-cordon', pickUpDelayMs: 35_000 },
}
