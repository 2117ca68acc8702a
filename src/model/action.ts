// What a tick can decide: a closed union with two verbs for a life.
import type { Instant } from '../lib/clock.ts'
import type { JournalEvent } from './event.ts'
import type { Failure } from './failure.ts'
import type { Registration, Runner } from './runner.ts'
import type { SetStatus } from './status.ts'

/** Why a runner is ended. The first two have proof of the end; the others may live and are deregistered first. */
export type EndCause =
  | { readonly kind: 'ended' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'surplus' }
  | { readonly kind: 'ghost' }
  | { readonly kind: 'start-failed'; readonly failure: Failure }
  | { readonly kind: 'life-exceeded' }

export type Action =
  /** Each: name, register → POST pod → POST Secret at once after it. */
  | { readonly kind: 'start-runners'; readonly count: number }
  | { readonly kind: 'end-runner'; readonly runner: Runner; readonly because: EndCause }
  /** Looks up in the cluster's events why a runner does not start. */
  | { readonly kind: 'explain-runner'; readonly runner: Runner }
  /** Has no living runner; retried alone. */
  | { readonly kind: 'drop-registration'; readonly registration: Registration }
  | { readonly kind: 'check-template'; readonly hash: string }
  | { readonly kind: 'ask-registrations' }
  | { readonly kind: 'report'; readonly status: SetStatus }

export type Decision = {
  readonly actions: readonly Action[]
  /** When a runner of the world's attention is to be looked at again, by name. */
  readonly due: readonly { readonly runner: string; readonly at: Instant }[]
  /** The next tick, if nothing happens before. */
  readonly wakeAt: Instant | undefined
  readonly events: readonly JournalEvent[]
}
