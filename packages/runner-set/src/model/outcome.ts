// The results of actions: one closed union, with the facts that came back. An action decides nothing about a life; the core folds its outcome.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure, StartCause } from './failure.ts'
import type { Ask, ForgeJob } from './rerun.ts'
import type { PodFacts, Registration } from './runner.ts'
import type { SetStatus } from './status.ts'

/** A call that did not succeed. */
export type Unsuccessful =
  /** The server answered no, or the request was not sent. Nothing was done. */
  | { readonly is: 'refused'; readonly failure: Failure; readonly retryAt: Instant | undefined }
  /** No usable response: the server may have done it. */
  | { readonly is: 'lost-answer'; readonly failure: Failure; readonly retryAt: Instant | undefined }
  /** Leadership ended before the call was over. It may have been done. */
  | { readonly is: 'aborted' }

/** A runner's start makes several calls. `step` names the call that did not succeed. */
export type StartOutcome =
  | { readonly is: 'registered'; readonly registration: Registration }
  | { readonly is: 'limited'; readonly until: Instant }
  | { readonly is: 'pod-created'; readonly pod: PodFacts }
  /** The last call succeeded: the runner has its Secret. */
  | { readonly is: 'secret-created' }
  | (Unsuccessful & { readonly step: 'register' | 'pod' | 'secret' })

export type DeregisterOutcome = { readonly is: 'removed' | 'absent' | 'busy' } | Unsuccessful

export type Outcome =
  | { readonly action: 'start-runner'; readonly runner: string; readonly result: StartOutcome }
  | {
      readonly action: 'cordon-runner'
      readonly runner: string
      readonly result: { readonly is: 'cordoned' } | Unsuccessful
    }
  | { readonly action: 'deregister-runner'; readonly runner: string; readonly result: DeregisterOutcome }
  | {
      readonly action: 'delete-runner'
      readonly runner: string
      /** `deleting`: the API server keeps the pod for its grace period. `conflict`: the pod of that name has changed, or is another one. */
      readonly result: { readonly is: 'deleted' | 'deleting' | 'conflict' } | Unsuccessful
    }
  | {
      readonly action: 'look-up-pod'
      readonly runner: string
      readonly result: { readonly is: 'present'; readonly pod: PodFacts } | { readonly is: 'absent' } | Unsuccessful
    }
  | {
      readonly action: 'look-up-secret'
      readonly runner: string
      readonly result: { readonly is: 'present' | 'absent' } | Unsuccessful
    }
  | {
      readonly action: 'explain-runner'
      readonly runner: string
      readonly result: { readonly is: 'explained'; readonly cause: StartCause | undefined } | Unsuccessful
    }
  | { readonly action: 'drop-registration'; readonly name: string; readonly result: DeregisterOutcome }
  | {
      readonly action: 'ask-run'
      readonly repository: string
      readonly run: string
      readonly ask: Ask
      /** `running`: nothing was done, because the run goes on, or because it is over already. */
      readonly result:
        | { readonly is: 'seen'; readonly jobs: readonly ForgeJob[] }
        | { readonly is: 'accepted' | 'running' }
        | Unsuccessful
    }
  | {
      readonly action: 'check-template'
      readonly hash: string
      /** `stored`: the pod spec that the dry run returned. */
      readonly result: { readonly is: 'accepted'; readonly stored: unknown } | Unsuccessful
    }
  | {
      readonly action: 'list-registrations'
      readonly result:
        | { readonly is: 'listed'; readonly registrations: readonly Registration[]; readonly askedAt: Instant }
        | Unsuccessful
    }
  | {
      readonly action: 'report'
      readonly status: SetStatus
      /** `gone`: the set does not exist any more. */
      readonly result: { readonly is: 'written' | 'gone' } | Unsuccessful
    }
