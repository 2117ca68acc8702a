// The transitions of a listener's state, without I/O: from the state and the result of a step to the next state.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { Failure } from '@dayfly/runner-set/model/failure'
import { type GitHubError, isGitHubError } from './errors.ts'
import { failureOf, waitAfter } from './failure-of-error.ts'
import {
  deliveriesMax,
  type ListenerSession,
  type ListenerState,
  type Phase,
  type StepResult,
  sessionIdIn,
  sessionIn,
} from './listener-state.ts'

export type TransitionContext = { readonly now: Instant; readonly random: Random; readonly demandKnown: boolean }

/** `failing` is set if the failure must be reported. */
export type Transition<S extends ListenerSession> = {
  readonly state: ListenerState<S>
  readonly failing?: { readonly failure: Failure; readonly since: Instant }
}

/** After this many failed attempts to renew a dead token, a new session is created. */
const renewalsMax = 3
/** A poll that returns nothing sooner than this, or than two round trips, did not wait for a message, in milliseconds. */
const quickMsMin = 100
const quickMsMax = 1_000

export function transition<S extends ListenerSession>(
  state: ListenerState<S>,
  result: StepResult<S>,
  context: TransitionContext,
): Transition<S> {
  switch (result.is) {
    case 'claimed':
      return { state: { ...state, phase: { is: 'opening', previous: sessionIdIn(state), cursor: undefined } } }
    case 'opened':
      return opened(state, result, context)
    case 'refreshed':
      return refreshed(state, context)
    case 'refresh-failed':
      return refreshFailed(state, result.error, context)
    case 'nothing':
      return { state: answered(state, context, result.tookMs) }
    case 'cut':
      return { state: cut(state) }
    case 'received':
      return { state: answered(state, context) }
    case 'repeated':
      return repeated(state, result, context)
    case 'unreadable':
      return unreadable(state, result, context)
    case 'acknowledged':
      return { state: acknowledged(state, result) }
    case 'failed':
      return failed(state, result.error, context)
  }
}

function opened<S extends ListenerSession>(
  state: ListenerState<S>,
  { session, tookMs }: Extract<StepResult<S>, { is: 'opened' }>,
  context: TransitionContext,
): Transition<S> {
  const cursor = state.phase.is === 'claiming' ? undefined : state.phase.cursor
  const counts = { roundTripMs: tookMs, quick: 0, repeated: 0, unreadable: 0 }
  const phase = { is: 'polling', session, cursor, counts, renewed: false, refreshTried: false, wasCut: false } as const
  return { state: recovered({ ...state, phase }, context) }
}

function refreshed<S extends ListenerSession>(state: ListenerState<S>, context: TransitionContext): Transition<S> {
  const { phase } = state
  if (phase.is === 'renewing') {
    const { session, cursor, counts } = phase
    const next = { is: 'polling', session, cursor, counts, renewed: true, refreshTried: true, wasCut: false } as const
    return { state: recovered({ ...state, phase: next }, context) }
  }
  if (phase.is !== 'polling') return { state }
  const failures = phase.wasCut ? 0 : state.failures
  return { state: recovered({ ...state, failures, phase: { ...phase, refreshTried: true, wasCut: false } }, context) }
}

function refreshFailed<S extends ListenerSession>(
  state: ListenerState<S>,
  error: GitHubError,
  context: TransitionContext,
): Transition<S> {
  const { phase } = state
  if (isGitHubError(error, 'session-gone', 'scale-set-gone')) return failed(state, error, context)
  if (phase.is === 'polling' && phase.wasCut) return failed(state, error, context, { ...phase, refreshTried: true })
  if (phase.is === 'polling') return { state: { ...state, phase: { ...phase, refreshTried: true } } }
  if (phase.is !== 'renewing') return failed(state, error, context)
  const attempts = phase.attempts + 1
  if (attempts < renewalsMax) return failed(state, error, context, { ...phase, attempts })
  return failed(state, error, context, { is: 'opening', previous: phase.session.id, cursor: phase.cursor })
}

/** A poll was answered: the connection works. Demand stays unknown if no statistics have ever come. */
function answered<S extends ListenerSession>(
  state: ListenerState<S>,
  context: TransitionContext,
  tookMs = Number.POSITIVE_INFINITY,
): ListenerState<S> {
  const { phase } = state
  if (phase.is !== 'polling') return state
  const quickMs = Math.min(quickMsMax, Math.max(quickMsMin, 2 * phase.counts.roundTripMs))
  const quick = tookMs < quickMs ? phase.counts.quick + 1 : 0
  const counts = { ...phase.counts, quick, repeated: 0, unreadable: 0 }
  const resumeAt = quick > 0 ? context.now + pollWait(quick, context) : state.resumeAt
  return recovered(
    {
      ...state,
      phase: { ...phase, renewed: false, refreshTried: false, wasCut: false, counts },
      failures: 0,
      resumeAt,
    },
    context,
  )
}

/** Some proxies cut every connection that is silent for a while, so that a cut is no failure. It shows nothing of the forge either. */
function cut<S extends ListenerSession>(state: ListenerState<S>): ListenerState<S> {
  const { phase } = state
  return phase.is === 'polling' ? { ...state, phase: { ...phase, wasCut: true, refreshTried: false } } : state
}

/** A message that cannot be acknowledged is passed over in the end: it must not hold up the next one. */
function repeated<S extends ListenerSession>(
  before: ListenerState<S>,
  { messageId, error }: Extract<StepResult<S>, { is: 'repeated' }>,
  context: TransitionContext,
): Transition<S> {
  const times = before.phase.is === 'polling' ? before.phase.counts.repeated + 1 : 1
  const state = answered(before, context)
  if (state.phase.is !== 'polling') return { state }
  const phase = { ...state.phase, counts: { ...state.phase.counts, repeated: times } }
  if (isGitHubError(error, 'session-gone', 'scale-set-gone')) return failed({ ...state, phase }, error, context)
  if (error && times < deliveriesMax) return failed({ ...state, phase }, error, context, phase)
  const resumeAt = times > 1 ? context.now + pollWait(times, context) : state.resumeAt
  return { state: { ...state, phase: { ...phase, cursor: messageId }, resumeAt } }
}

/** A transfer may have been cut once. A delivery that never becomes readable must not block the set: a new session brings the statistics. */
function unreadable<S extends ListenerSession>(
  state: ListenerState<S>,
  { messageId, error }: Extract<StepResult<S>, { is: 'unreadable' }>,
  context: TransitionContext,
): Transition<S> {
  const { phase } = state
  if (phase.is !== 'polling') return failed(state, error, context)
  const times = phase.counts.unreadable + 1
  const counts = { ...phase.counts, unreadable: times }
  if (times < deliveriesMax) return failed(state, error, context, { ...phase, counts, refreshTried: false })
  return failed(state, error, context, {
    is: 'opening',
    previous: phase.session.id,
    cursor: messageId ?? phase.cursor,
  })
}

function acknowledged<S extends ListenerSession>(
  state: ListenerState<S>,
  { sessionId, messageId }: Extract<StepResult<S>, { is: 'acknowledged' }>,
): ListenerState<S> {
  const { phase } = state
  if (phase.is !== 'polling' || phase.session.id !== sessionId) return state
  return { ...state, phase: { ...phase, cursor: messageId } }
}

/** Sets the pause before the next step, and reports the failure once for as long as it stays the same. */
function failed<S extends ListenerSession>(
  state: ListenerState<S>,
  error: GitHubError,
  context: TransitionContext,
  phase: Phase<S> = phaseAfter(state.phase, error),
): Transition<S> {
  const { now, random } = context
  const failures = state.failures + 1
  const since = state.failingSince ?? now
  const next = { ...state, phase, failures, failingSince: since }
  // A refused queue token is normal at its end. A single other failure of a working session is no reason for an alarm.
  const isFirst = failures === 1 && context.demandKnown && sessionIn(state) !== undefined
  if (phase.is === 'renewing' && isGitHubError(error, 'token-refused') && state.phase.is === 'polling') {
    return { state: { ...state, phase } }
  }
  if (isFirst && phase.is === 'opening' && isGitHubError(error, 'session-gone', 'token-refused')) return { state: next }
  const resumeAt = now + waitAfter(error, failures, now, random)
  if (isFirst && isGitHubError(error, 'unreachable', 'server-failed', 'bad-answer'))
    return { state: { ...next, resumeAt } }
  const failure = failureOf(error)
  const reported = `${failure.reason} ${error.reason} ${error.status}`
  const reporting = { ...next, resumeAt, reported }
  return reported === state.reported ? { state: reporting } : { state: reporting, failing: { failure, since } }
}

/** The phase in which the listener goes on after the error of a step. */
function phaseAfter<S extends ListenerSession>(phase: Phase<S>, error: GitHubError): Phase<S> {
  const session = phase.is === 'polling' || phase.is === 'renewing' ? phase.session : undefined
  const previous = phase.is === 'claiming' || phase.is === 'opening' ? phase.previous : phase.session.id
  if (error.reason === 'scale-set-gone') return { is: 'claiming', previous }
  if (!session || phase.is === 'claiming') return phase
  if (error.reason === 'session-gone') return { is: 'opening', previous, cursor: phase.cursor }
  if (phase.is !== 'polling') return phase
  if (error.reason !== 'token-refused') return { ...phase, refreshTried: false }
  if (phase.renewed) return { is: 'opening', previous, cursor: phase.cursor }
  return { is: 'renewing', session, cursor: phase.cursor, counts: phase.counts, attempts: 0 }
}

function recovered<S extends ListenerSession>(state: ListenerState<S>, context: TransitionContext): ListenerState<S> {
  return context.demandKnown ? { ...state, failingSince: undefined, reported: undefined } : state
}

function pollWait(times: number, { random }: TransitionContext): number {
  return backoffMs({ baseMs: 500, capMs: 10_000 }, times, random)
}
