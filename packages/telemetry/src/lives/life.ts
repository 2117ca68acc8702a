// The journal's facts about one runner so far.
import type { Instant } from '@dayfly/kit/clock'
import type { FailureReason } from '@dayfly/runner-set/model/failure'
import type { NamedJob } from '@dayfly/runner-set/model/forge-event'

/** The steps of a life that the journal dates. Each is the time of its first event. */
export type Step = 'requested' | 'registered' | 'created' | 'started' | 'online' | 'ended' | 'gone'

export type Job = {
  readonly id: string
  /** Undefined: only the end of the job was reported. */
  named?: NamedJob
  queuedAt?: Instant
  startedAt?: Instant
  finishedAt?: Instant
  /** The forge's own word. */
  result?: string
}

/** A failure, or a delay that a start survived. */
export type Problem = { readonly at: Instant; readonly reason: FailureReason; readonly isDelay: boolean }

export type Life = {
  readonly namespace: string
  readonly set: string
  readonly runner: string
  readonly steps: Partial<Record<Step, Instant>>
  /** In the order of their first events. Most lives have at most one. */
  readonly jobs: Job[]
  readonly problems: Problem[]
  registration?: string
  podUid?: string
  node?: string
  /** Whether this process led when the runner was gone: then it reports the life. */
  isOurs?: boolean
}

/** The workflow of the job, or else the set: Dayfly sees jobs and not whole pipelines. */
export function pipelineOf({ set }: Pick<Life, 'set'>, job: Job | undefined): string {
  return job?.named?.origin?.workflow || set
}

/** The last failure; undefined if there is none. */
export function failureOf({ problems }: Life): Problem | undefined {
  return problems.findLast(({ isDelay }) => !isDelay)
}
