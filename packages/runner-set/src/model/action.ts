// A tick's possible actions: a closed union. Each action is I/O only; its result is an Outcome.
import type { Instant } from '@dayfly/kit/clock'
import type { Capacity } from './capacity.ts'
import type { EndCause } from './end-cause.ts'
import type { JournalEvent } from './event.ts'
import type { LastingFailure } from './failure.ts'
import type { Held } from './held.ts'
import type { Ask } from './rerun.ts'
import type { Registration } from './runner.ts'
import type { SetStatus } from './status.ts'
import type { Unassigned } from './unassigned.ts'

/** The pod to delete, with the preconditions that its deletion must meet. */
export type PodTarget = { readonly uid: string; readonly resourceVersion: string | undefined }

/** An action on one runner. */
export type RunnerAction =
  /** Registers, creates the pod, and at once creates the Secret. */
  | { readonly kind: 'start-runner'; readonly runner: string }
  /** Keeps the forge from giving a busy runner another job. */
  | { readonly kind: 'cordon-runner'; readonly runner: string; readonly registration: Registration }
  /** First step of an end: the runner may live. */
  | {
      readonly kind: 'deregister-runner'
      readonly runner: string
      readonly registration: Registration
      readonly because: EndCause
    }
  /** Last step of an end: deletes the Secret, then the pod. */
  | { readonly kind: 'delete-runner'; readonly runner: string; readonly pod: PodTarget; readonly because: EndCause }
  /** Reads the pod whose POST had no response. */
  | { readonly kind: 'look-up-pod'; readonly runner: string }
  /** Reads the Secret of a pod that another process created. */
  | { readonly kind: 'look-up-secret'; readonly runner: string }
  /** Reads the cluster's Events to find why a runner does not start. */
  | { readonly kind: 'explain-runner'; readonly runner: string; readonly podUid: string }

/** An action on the set as a whole. At most one of each kind is under way. */
export type SetAction =
  | { readonly kind: 'check-template'; readonly hash: string }
  | { readonly kind: 'list-registrations' }
  | { readonly kind: 'report'; readonly status: SetStatus }

export type Action =
  | RunnerAction
  | SetAction
  /** Removes a registration without a living runner. */
  | { readonly kind: 'drop-registration'; readonly registration: Registration }
  /** Makes one call about the broken jobs of a run. */
  | { readonly kind: 'ask-run'; readonly repository: string; readonly run: string; readonly ask: Ask }

/** A fact that a decision adds to a runner, so that it is reported once. */
export type Mark =
  | { readonly runner: string; readonly is: 'delayed'; readonly failure: LastingFailure }
  | { readonly runner: string; readonly is: 'stuck'; readonly failure: LastingFailure }
  | { readonly runner: string; readonly is: 'outdated' }

export type Decision = {
  readonly actions: readonly Action[]
  /** Why missing runners do not start now; undefined if none is missing after this tick. */
  readonly held: Held | undefined
  /** The reading of the demand for which a strategy of cycles has decided, by its time. */
  readonly scaledBy: Instant | undefined
  /** The runners that the set announces to its forge from now on. */
  readonly capacity: Capacity
  /** Jobs that wait although runners are online, as this tick saw them. */
  readonly unassigned: Unassigned | undefined
  /** When a runner must be looked at again, by name. */
  readonly due: readonly { readonly runner: string; readonly at: Instant }[]
  readonly marks: readonly Mark[]
  /** The next tick, if nothing happens before. */
  readonly wakeAt: Instant | undefined
  readonly events: readonly JournalEvent[]
}
