// The answers for one opened runner, and for a search of a job.
import type { Instant } from '@dayfly/kit/clock'
import type { JobShown, Life, WaitingJob, Words } from './life.ts'

/** One step of a runner's timeline. */
export type TimelineStep = {
  readonly name:
    | 'queued'
    | 'assigned'
    | 'registered'
    | 'created'
    | 'scheduled'
    | 'pulled'
    | 'started'
    | 'online'
    | 'finished'
    | 'ended'
    | 'gone'
  readonly at: Instant
  /** The time since the step before; null for the first. */
  readonly tookMs: number | null
  /** The usual time of this part in this set: the median of its last lives; null with less than five. */
  readonly usualMs: number | null
  /** It took more than three times the usual, and over five seconds more. */
  readonly unusual: boolean
}

export type ContainerShown = {
  readonly name: string
  readonly kind: 'init' | 'sidecar' | 'container'
  readonly state: string
  readonly since: Instant | null
  readonly detail: string
}

export type EventShown = {
  readonly at: Instant | null
  readonly warning: boolean
  readonly reason: string
  readonly message: string
  readonly count: number
}

export type RunnerDetail = {
  readonly life: Life
  /** The sentences of `dayfly explain` about the runner. */
  readonly sentences: readonly string[]
  readonly problem: Words | null
  readonly timeline: readonly TimelineStep[]
  /** Null if the cluster was not asked or did not answer: `unknown` says why. */
  readonly containers: readonly ContainerShown[] | null
  /** The oldest first. */
  readonly events: readonly EventShown[] | null
  readonly unknown: readonly string[]
  /** Whether its log can be followed now. */
  readonly hasLog: boolean
}

/** One line of an answer to "where is my job?". */
export type FoundJob = {
  /** The permanent address of the answer on this page, for example `#/job/octo%2Fweb/8b1c`. */
  readonly address: string
  readonly job: JobShown
  readonly is: 'waiting' | 'running' | 'ended'
  /** One sentence: where it is, and why. */
  readonly sentence: string
  readonly at: Instant
  /** The life of its runner; null while it waits. */
  readonly life: Life | null
  readonly waiting: WaitingJob | null
}

export type Found = {
  readonly query: string
  /** How the text was understood, in words. */
  readonly read: string
  /** The newest first, at most 50. */
  readonly jobs: readonly FoundJob[]
  /** The next step if nothing was found. */
  readonly next: string | null
}
