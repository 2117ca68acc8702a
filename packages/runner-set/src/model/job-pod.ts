// A pod that a runner made for its job, or for a step of it. The hooks of the runner image give it a label with the runner's name.
import type { Instant } from '@dayfly/kit/clock'
import type { LastingFailure, StartCause } from './failure.ts'
import type { PodFacts } from './runner.ts'
import type { RunnerSet } from './runner-set.ts'

export type JobPod = {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** The name of the runner. */
  readonly runner: string
  /** The uids of the objects that own it. The hooks name none. */
  readonly owners: readonly string[]
  /** The Secrets that the hooks made for its images. */
  readonly secrets: readonly string[]
  readonly isDeleting: boolean
  /** The last step that its start made. */
  readonly progressedAt: Instant
  /** The cause that holds its start up; undefined while nothing shows. */
  readonly startCause: StartCause | undefined
  /** Why it ended before the runner deleted it. */
  readonly endFailure: LastingFailure | undefined
}

/** The knowledge about a runner with a pod for its job. */
export type JobRunner = {
  /** Undefined if no such set exists any more. */
  readonly set: Pick<RunnerSet, 'name' | 'startMaxMs'> | undefined
  /** Undefined while no pod of it is known. */
  readonly pod: PodFacts | undefined
  /** Whether a complete list of the runners lacks it. */
  readonly isGone: boolean
}
