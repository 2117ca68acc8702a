// The controller keeps each RunnerSet that exists in one of these states.
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { SetWorker } from './set-worker.ts'

/** The state of a set. */
export type SetEntry = { readonly uid: string } & (
  | {
      readonly is: 'at-work'
      readonly worker: SetWorker
      /** The set with a status that another process wrote while this one did not lead: the worker does not know it. */
      readonly rewritten: KubeObject | undefined
    }
  | Unreadable
  | Returning
  /** Its sizes are sets of their own, and it has no runners. */
  | { readonly is: 'sized' }
  /** It is deleted, and its object still exists. */
  | { readonly is: 'deleted' }
)

/** A set that cannot be read. A new leader reports it, because no event of it may come again. */
export type Unreadable = {
  readonly is: 'unreadable'
  readonly object: KubeObject
  readonly problems: readonly string[]
  /** The set when it could be read last. Its records are still at the forge. */
  readonly last: RunnerSet | undefined
}

/** A set that can be read again while its earlier worker ends, which may still start a runner: a set has one worker at a time. */
type Returning = { readonly is: 'returning'; readonly object: KubeObject; readonly last: RunnerSet }

export type AtWork = Extract<SetEntry, { is: 'at-work' }>
