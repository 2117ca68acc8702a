// The page shows these values of one runner's life and of one job. All values are plain JSON. Null is unknown or not yet: it is never zero.
import type { Instant } from '@dayfly/kit/clock'

/** A reason with its words, as `dayfly explain` prints them. */
export type Words = {
  /** A reason of the table of failures, or another word in kebab-case. */
  readonly reason: string
  readonly sentence: string
  /** The observation; empty if the sentence says everything. */
  readonly detail: string
  readonly next: string
  /** It has not happened yet, and nothing is held up by it. */
  readonly ahead?: true
}

/** A job, as its forge names it. */
export type JobShown = {
  readonly id: string
  readonly name: string
  /** `owner/name`; empty if the forge does not say. */
  readonly repository: string
  /** The file name of the workflow, for example `ci.yml`. */
  readonly workflow: string | null
  /** The branch or tag. */
  readonly ref: string | null
  /** The forge's id of the run that the job belongs to. */
  readonly run: string | null
  /** The address of the run at the forge. */
  readonly url: string | null
}

/** The steps of a life in their order. A step that did not happen, or that nobody saw, is null. */
export type LifeSteps = {
  /** The forge queued the job that this runner got. */
  readonly queued: Instant | null
  readonly registered: Instant | null
  readonly created: Instant | null
  /** The container of the runner started. */
  readonly started: Instant | null
  /** The forge saw the runner, or gave it a job. */
  readonly online: Instant | null
  readonly jobStarted: Instant | null
  readonly jobFinished: Instant | null
  /** The container of the runner ended. */
  readonly ended: Instant | null
  /** Pod, Secret and registration are gone. */
  readonly gone: Instant | null
}

export type LifePhase = 'starting' | 'idle' | 'busy' | 'ending' | 'gone'

export type Life = {
  /** `namespace/runner`: no two lives share it. */
  readonly id: string
  /** `namespace/name` of its set. */
  readonly set: string
  readonly runner: string
  readonly phase: LifePhase
  readonly steps: LifeSteps
  readonly job: JobShown | null
  /** The forge's own word for the end of the job, for example `succeeded`. */
  readonly result: string | null
  readonly node: string | null
  readonly exitCode: number | null
  /** Why the runner failed, or what delays it now. */
  readonly problem: Words | null
  /** The requests of its pod; null if the set's template sets none. */
  readonly requests: Requests | null
}

/** The requests of one runner pod, helpers included. */
export type Requests = { readonly cpu: number; readonly memoryGib: number }

/** A job that waits for a runner. */
export type WaitingJob = JobShown & {
  readonly set: string
  readonly queuedAt: Instant
}

/** Failures of one set with one reason. */
export type FailureGroup = Words & {
  /** `namespace/name reason` */
  readonly id: string
  readonly set: string
  readonly count: number
  readonly firstAt: Instant
  readonly lastAt: Instant
  /** The last runner that failed so; null if no runner did. */
  readonly runner: string | null
}

/** Something that changed, for the time axes. */
export type Mark = {
  readonly at: Instant
  readonly kind: 'controller' | 'set-added' | 'set-changed' | 'set-paused' | 'set-resumed' | 'set-removed' | 'forge'
  /** `namespace/name`, or null for the whole installation. */
  readonly set: string | null
  readonly sentence: string
}
