// Jobs whose runner the infrastructure broke: what is known of them, what the forge says, and what is done.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from './failure.ts'

/** The operator's choice for such jobs. A set without it does nothing. */
export type RerunPolicy = {
  /** How often one run is repeated at most, as the forge counts: repetitions by people are included. */
  readonly perRun: number
  /** How many jobs the set repeats in one day of UTC. */
  readonly perDay: number
  /** Whether the author of the commit is notified. */
  readonly notify: boolean
}

/** The closed list: whether a job with this cause is repeated, and the sentence for its author. */
export const breakCauses = {
  evicted: { repeats: true, sentence: 'The pod of the runner was evicted from its node' },
  preempted: { repeats: true, sentence: 'A pod of higher priority took the place of the runner' },
  'node-lost': { repeats: true, sentence: 'The node of the runner was lost' },
  'node-shutdown': { repeats: true, sentence: 'The node of the runner was shut down' },
  'helper-out-of-memory': { repeats: true, sentence: 'A container beside the runner ran out of memory' },
  'helper-image': { repeats: true, sentence: 'The image of a container beside the runner could not be pulled' },
  'runner-out-of-memory': { repeats: false, sentence: 'The job needed more memory than its runner has' },
} as const satisfies Record<string, { readonly repeats: boolean; readonly sentence: string }>

export type BreakCause = keyof typeof breakCauses

/**
 * Why a job is not repeated. `cause`: it would fail again. `own-step`: one of its steps failed. `succeeded`. `over-before`: it had ended
 * before. `cancelled`: another client cancelled it. `repeated`: another client repeated it. `run-budget`, `day-budget`: the set's limits.
 * `unknown`: the forge did not say how it ended. `forgotten`: too many jobs were pending.
 */
export const notRepeated = [
  'cause',
  'own-step',
  'succeeded',
  'over-before',
  'cancelled',
  'repeated',
  'run-budget',
  'day-budget',
  'unknown',
  'forgotten',
] as const

export type NotRepeated = (typeof notRepeated)[number]

/** How it was decided. `by-dayfly`: this set repeated it. */
export type Settled = 'by-dayfly' | NotRepeated

/** A job that the infrastructure broke. Its runner had no other job, so the name of the runner identifies it at the forge, too. */
export type BrokenJob = {
  readonly runner: string
  readonly name: string
  /** `owner/name` */
  readonly repository: string
  /** The forge's id of the run. */
  readonly run: string
  readonly cause: BreakCause
  /** The observation. */
  readonly detail: string
  /** When the cause began. */
  readonly brokeAt: Instant
  /** When the pod had ended. */
  readonly endedAt: Instant
  /** We asked the forge to end the run: it would else wait for the dead runner. */
  readonly ended: boolean
  /** A request to repeat it had no answer. */
  readonly doubtful: boolean
  /** The message that its author must still get; undefined while nothing is decided. A decided job without a message is forgotten. */
  readonly note: Note | undefined
}

/** A message to the author, at the commit of the job. */
export type Note = {
  readonly runner: string
  readonly repository: string
  readonly sha: string
  readonly title: string
  readonly text: string
}

/** A job in the latest attempt of its run, as the forge shows it. */
export type ForgeJob = {
  readonly id: string
  readonly name: string
  /** Undefined before a runner took it. */
  readonly runner: string | undefined
  /** The attempt of the run, from 1. */
  readonly attempt: number
  /** `open`: it waits or runs. */
  readonly state: 'open' | 'succeeded' | 'skipped' | 'failed' | 'cancelled'
  /** The first step that failed. */
  readonly failedStep: string | undefined
  /** The step that never ended. */
  readonly openStep: string | undefined
  readonly finishedAt: Instant | undefined
  readonly sha: string
}

/** One call to the forge about a run. `repeat-failed` repeats every job of the run that failed, `repeat` one. */
export type Ask =
  | { readonly is: 'look' }
  | { readonly is: 'end' }
  | { readonly is: 'repeat'; readonly job: string; readonly runners: readonly string[] }
  | { readonly is: 'repeat-failed'; readonly runners: readonly string[] }
  | { readonly is: 'notify'; readonly note: Note }

/** The calls about runs that have a back-off of their own: a look that succeeds says nothing about what may be changed. */
export type AskKey = 'look-run' | 'change-run' | 'notify-author'

/** The broken jobs of one run. At most one call about them is under way. */
export type BrokenRun = {
  readonly repository: string
  readonly run: string
  readonly jobs: readonly BrokenJob[]
  /** The last view of the forge; undefined before the first look of this process. */
  readonly seen: readonly ForgeJob[] | undefined
  readonly next: Ask
  readonly dueAt: Instant
  /** Looks in a row that found the run open. */
  readonly looks: number
  readonly underway: boolean
}

/** A runner that broke before it was known which job it had. */
export type UnnamedBreak = Pick<BrokenJob, 'runner' | 'cause' | 'detail' | 'brokeAt' | 'endedAt'>

/** Everything that a set knows of broken jobs. */
export type Reruns = {
  readonly runs: readonly BrokenRun[]
  readonly unnamed: readonly UnnamedBreak[]
  /** The day of UTC that `repeated` counts. */
  readonly day: string
  readonly repeated: number
  /** Why the forge lets nothing be repeated, or notifies no author. */
  readonly refused: Readonly<Partial<Record<AskKey, Failure | undefined>>>
  /** Its part of the status; null while there is nothing to keep. */
  readonly stored: RerunStatus | null
}

/** The part of the status by which a new leader goes on. */
export type RerunStatus = {
  /** The day of UTC that `repeated` counts, for example `2026-11-27`. */
  readonly day: string
  readonly repeated: number
  readonly pending: readonly PendingRerun[]
}

/** A broken job in the status. Times are API timestamps. */
export type PendingRerun = {
  readonly runner: string
  readonly job: string
  readonly repository: string
  readonly run: string
  readonly cause: string
  readonly detail: string
  readonly brokeAt: string
  readonly endedAt: string
  readonly ended: boolean
  readonly doubtful: boolean
  readonly note: { readonly sha: string; readonly title: string; readonly text: string } | null
}
