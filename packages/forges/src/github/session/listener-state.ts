// The state of a listener, and the step that follows from it, without I/O. The listener (listener.ts) carries the step
// out. The transition (listener-transition.ts) turns its result into the next state.
import type { Instant } from '@dayfly/kit/clock'
import type { GitHubError } from '../calls/errors.ts'

/** The part of a message session that decides the next step. */
export type ListenerSession = {
  readonly id: string
  /** When the queue token should be renewed; undefined if it does not say when it expires. */
  readonly renewAt: Instant | undefined
}

/** The measurements of one session's polls. */
export type PollCounts = {
  /** How long the request that opened the session took, in milliseconds. */
  readonly roundTripMs: number
  /** Polls in a row that returned nothing at once. */
  readonly quick: number
  /** Deliveries in a row of a message that has been handled. */
  readonly repeated: number
  /** Deliveries in a row that could not be read. */
  readonly unreadable: number
}

export type Phase<S extends ListenerSession> =
  /** The listener finds its scale set or creates it. `previous` is the session to delete before a new one is created. */
  | { readonly is: 'claiming'; readonly previous: string | undefined }
  /** The listener creates a message session. `cursor` is the id of the last acknowledged message. */
  | { readonly is: 'opening'; readonly previous: string | undefined; readonly cursor: string | undefined }
  /** The listener polls; GitHub has not refused its queue token. */
  | {
      readonly is: 'polling'
      readonly session: S
      readonly cursor: string | undefined
      readonly counts: PollCounts
      /** The token was renewed after a refusal, and no poll has been answered since. */
      readonly renewed: boolean
      /** A refresh was tried since the last poll. Another one waits until after the next poll. */
      readonly refreshTried: boolean
      /** The last poll was cut while it was held. Only a refresh shows whether the forge can be reached. */
      readonly wasCut: boolean
    }
  /** GitHub refused the queue token: the listener renews it before it polls again. */
  | {
      readonly is: 'renewing'
      readonly session: S
      readonly cursor: string | undefined
      readonly counts: PollCounts
      readonly attempts: number
    }

export type ListenerState<S extends ListenerSession> = {
  readonly phase: Phase<S>
  /** The next step does not begin earlier. */
  readonly resumeAt: Instant
  /**
   * Failed steps in a row. Only an answered poll ends the row: a session that is lost as soon as it opens must not be
   * opened again without a pause.
   */
  readonly failures: number
  readonly failingSince: Instant | undefined
  /** The key of the failure that was reported; undefined while demand is known. */
  readonly reported: string | undefined
}

export type Step = 'claim' | 'open' | 'refresh' | 'poll'

/** The result of a step. */
export type StepResult<S extends ListenerSession> =
  | { readonly is: 'claimed' }
  | { readonly is: 'opened'; readonly session: S; readonly tookMs: number }
  | { readonly is: 'refreshed' }
  | { readonly is: 'refresh-failed'; readonly error: GitHubError }
  /** A new or refreshed session came without statistics, and none are known. A message may bring some, so a poll follows. */
  | { readonly is: 'without-statistics'; readonly error: GitHubError }
  /** A poll returned no message. */
  | { readonly is: 'nothing'; readonly tookMs: number }
  /** A poll was cut after it had been held for some time, as proxies do with silent connections. */
  | { readonly is: 'cut' }
  /** A poll returned a message that has not been handled yet. */
  | { readonly is: 'received' }
  /** A poll returned a message that has been handled. `error` is set if it could not be acknowledged again. */
  | { readonly is: 'repeated'; readonly messageId: string; readonly error: GitHubError | undefined }
  /** A poll returned something else than a message. `messageId` is its id, where that can be read. */
  | { readonly is: 'unreadable'; readonly messageId: string | undefined; readonly error: GitHubError }
  | { readonly is: 'acknowledged'; readonly sessionId: string; readonly messageId: string }
  | { readonly is: 'failed'; readonly error: GitHubError }

/** After this many deliveries a message that cannot be acknowledged, or cannot be read, is passed over. */
export const deliveriesMax = 3

export function initialState<S extends ListenerSession>(previous: string | undefined): ListenerState<S> {
  const phase = { is: 'claiming', previous } as const
  return { phase, resumeAt: 0, failures: 0, failingSince: undefined, reported: undefined }
}

/**
 * Returns the next step. A refresh brings current statistics, so one is due while demand is unknown. A poll follows each
 * refresh, also a failed one: only GitHub's refusal of the token stops the polls.
 */
export function nextStep<S extends ListenerSession>({ phase, reported }: ListenerState<S>, now: Instant): Step {
  if (phase.is === 'claiming') return 'claim'
  if (phase.is === 'opening') return 'open'
  if (phase.is === 'renewing') return 'refresh'
  const { renewAt } = phase.session
  const isDue = phase.wasCut || reported !== undefined || (renewAt !== undefined && renewAt <= now)
  return isDue && !phase.refreshTried ? 'refresh' : 'poll'
}

/** Returns the session in use. */
export function sessionIn<S extends ListenerSession>({ phase }: ListenerState<S>): S | undefined {
  return phase.is === 'polling' || phase.is === 'renewing' ? phase.session : undefined
}

/** Returns the id of the session that must be deleted before the listener ends, or before it creates another. */
export function sessionIdIn<S extends ListenerSession>({ phase }: ListenerState<S>): string | undefined {
  return phase.is === 'polling' || phase.is === 'renewing' ? phase.session.id : phase.previous
}
