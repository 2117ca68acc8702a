// The shape of an incident of the lab, and the bench on which it runs.
import type { Profile } from '@dayfly/cluster/api/api'
import type { Clock } from '@dayfly/kit/clock'
import type { DayflyParts } from './dayfly.ts'
import type { Notebook } from './notebook.ts'
import type { World, WorldOptions } from './world.ts'

export type Bench = {
  readonly profile: Profile
  /** Begins a time. A forge can use it before the cluster exists. */
  readonly begin: () => Stage
  readonly dayfly: DayflyParts
  /** Whether a cluster with the incident stays up afterwards. A remedy must not change that one. */
  readonly keeps: boolean
  /** The parts that the clusters cannot show. */
  readonly lacks: ReadonlySet<Lack>
  readonly load: Load
  /** Returns the time to live of a finished Job in the lab, from the one that the doctor proposes. */
  readonly ttlSeconds: (proposed: number) => number
  readonly notebook: Notebook
}

export type Stage = {
  readonly clock: Clock
  /** Opens a cluster. The last one that is opened with `stays` is the cluster of --keep. */
  readonly open: (options: OpenOptions) => Promise<World>
}

/**
 * `versions`: other versions of Kubernetes. `presence`: Jobs that count their pods without finalizers, as up to 1.21.
 * `hours`: a time of hours.
 */
export type Lack = 'versions' | 'presence' | 'hours'

/** How much work the incidents give to a cluster. */
export type Load = {
  /** Jobs of a burst. */
  readonly burst: number
  readonly workMs: number
  /** The number of finished pods above which the cluster collects them. */
  readonly threshold: number
}

export type OpenOptions = Omit<WorldOptions, 'profile'> & { readonly stays?: true; readonly profile?: Profile }

export interface Incident {
  readonly id: string
  /** The number by which the reference pages name it. */
  readonly code: 'S0' | 'S1' | 'S2' | 'S3' | 'S4' | 'F1' | 'F2' | 'F3' | 'F4'
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
