// The shape of an incident of the lab, and the bench on which it runs.
import type { Profile } from '../embedded/api/api.ts'
import type { VirtualClock } from '../lib/virtual-clock.ts'
import type { DayflyParts } from './dayfly.ts'
import type { Notebook } from './notebook.ts'
import type { World, WorldOptions } from './world.ts'

export type Bench = {
  readonly profile: Profile
  /** Starts a virtual time. */
  readonly clock: () => VirtualClock
  readonly dayfly: DayflyParts
  /** Whether a cluster with the incident stays up afterwards. A remedy must not change that one. */
  readonly keeps: boolean
  readonly notebook: Notebook
  /** Opens a cluster. The last one that is opened with `stays` is the cluster of --keep. */
  readonly open: (options: OpenOptions) => World
}

export type OpenOptions = Omit<WorldOptions, 'profile'> & { readonly stays?: true; readonly profile?: Profile }

export interface Incident {
  readonly id: string
  /** The number by which the reference pages name it. */
  readonly code: 'S0' | 'S1' | 'S2' | 'S3' | 'S4'
  /** The symptom that users see, in one sentence. */
  readonly title: string
  /** The mechanism, a sentence each. */
  readonly why: readonly string[]
  /** The models that replace other programs, and how far they go. */
  readonly models: readonly string[]
  /** Public pages about it. */
  readonly sources: readonly string[]
  /** A command for the cluster that --keep leaves up. */
  readonly look: string
  run(bench: Bench): Promise<void>
}
