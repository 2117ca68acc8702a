// The events that a forge sends about one runner set.
import type { Instant } from '@dayfly/kit/clock'
import type { Demand } from './demand.ts'
import type { Failure } from './failure.ts'
import type { Registration } from './runner.ts'
import type { RunnerVersion } from './runner-version.ts'

/**
 * The ids that a new leader needs to find the set's records at the forge; stored in the set's status. The members are
 * always the same for one forge, possibly empty, so that a state can be merged over an older one.
 */
export type ForgeState = Readonly<Record<string, string>>

/** Where a job comes from. A part is absent where the forge does not say it. */
export type JobOrigin = {
  /** The file name of the workflow, for example `ci.yml`. */
  readonly workflow?: string
  /** The branch or tag, for example `main`. */
  readonly ref?: string
  /** The forge's id of the run that holds the job. */
  readonly run?: string
}

/** A job as the forge names it. */
export type NamedJob = {
  readonly id: string
  readonly name: string
  readonly repository: string
  readonly origin?: JobOrigin
}

/** A job that waits, and whose labels no set has. */
export type UnservedJob = Pick<NamedJob, 'id' | 'name' | 'repository'> & { readonly labels: readonly string[] }

/** All such jobs of an account. `jobs`: the oldest ones. */
export type UnservedJobs = { readonly count: number; readonly jobs: readonly UnservedJob[] }

/** How many runners of the set the forge counts. */
export type ForgeRunners = { readonly registered: number; readonly busy: number }

/** An event of the forge. The controller folds it into the set's state before it acknowledges the batch. */
export type ForgeEvent =
  /**
   * The demand as the forge reports it at the instant `at`. `countedAt`: the time of the jobs that it counts, if they are older.
   * `runners` and `unserved` are for people only, nothing is decided by them. One set of an account has `unserved`.
   */
  | {
      readonly kind: 'demand'
      readonly demand: Demand
      readonly at: Instant
      readonly countedAt?: Instant
      readonly runners?: ForgeRunners
      readonly unserved?: UnservedJobs | undefined
    }
  /** A job was given to the set at `assignedAt`, if the forge says when, and has no runner yet. Only a forge with a queue sends this, and it may send it twice. */
  | {
      readonly kind: 'job-waits'
      readonly job: NamedJob
      readonly queuedAt: Instant
      readonly assignedAt?: Instant | undefined
    }
  /** A job ended that no runner had. */
  | { readonly kind: 'job-dropped'; readonly jobId: string; readonly result: string }
  | {
      readonly kind: 'job-started'
      readonly runner: string
      readonly job: NamedJob
      readonly at: Instant
      /** When the job was queued at the forge; undefined if the forge does not say. */
      readonly queuedAt: Instant | undefined
    }
  | {
      readonly kind: 'job-finished'
      readonly runner: string
      readonly jobId: string
      /** Absent where the forge does not name it again. */
      readonly job?: NamedJob
      /** `succeeded`, `failed`, `canceled`, `skipped`; `unknown`; or the forge's own word for another end. */
      readonly result: string
      readonly at: Instant
    }
  /** Every registration of the set at the instant `at`, from a list that the link reads anyway. */
  | { readonly kind: 'registrations'; readonly registrations: readonly Registration[]; readonly at: Instant }
  /** Ids to store. */
  | { readonly kind: 'state'; readonly state: ForgeState }
  /** Demand is unknown from now on, until a `demand` follows. The link retries by itself. */
  | { readonly kind: 'failing'; readonly failure: Failure; readonly since: Instant }
  /**
   * The result of comparing labels and runner group at the forge with the set: once after opening, and again when it
   * changes. `failure` names each difference that the forge does not let us remove; undefined if both sides agree.
   */
  | { readonly kind: 'settings'; readonly failure: Failure | undefined }
  /** The version of the runner that the set uses, and its end. Sent again when a part changes. Undefined: it is not known any more. */
  | { readonly kind: 'runner-version'; readonly version: RunnerVersion | undefined }
