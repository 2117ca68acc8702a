// The transitions of a listener's state, without I/O: from the state and the result of a step to the next state.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { GitHubError, GitHubReason } from '../calls/errors.ts'
import { failureOf, waitAfter } from '../calls/failure-of-error.ts'
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

type ErrorClass = 'scale-set-gone' | 'session-gone' | 'token-refused' | 'other'
/** The step that failed. `renewed`: a poll with a token that was renewed after a refusal. `repeatable` and `last`: an attempt of a counted row. */
type Failed = 'claiming' | 'opening' | 'polling' | 'renewed' | 'repeatable' | 'last'
type Next = 'claiming' | 'opening' | 'renewing' | 'same'

/** The phase in which the listener goes on, by what failed and by the class of its error. */
const nextPhase: Readonly<Record<Failed, Readonly<Record<ErrorClass, Next>>>> = {
  claiming: { 'scale-set-gone': 'claiming', 'session-gone': 'same', 'token-refused': 'same', other: 'same' },
  opening: { 'scale-set-gone': 'claiming', 'session-gone': 'same', 'token-refused': 'same', other: 'same' },
  polling: { 'scale-set-gone': 'claiming', 'session-gone': 'opening', 'token-refused': 'renewing', other: 'same' },
  renewed: { 'scale-set-gone': 'claiming', 'session-gone': 'opening', 'token-refused': 'opening', other: 'same' },
  repeatable: { 'scale-set-gone': 'claiming', 'session-gone': 'opening', 'token-refused': 'same', other: 'same' },
  last: { 'scale-set-gone': 'claiming', 'session-gone': 'opening', 'token-refused': 'opening', other: 'opening' },
}

/** A single one of these in a working session passes by itself: the listener pauses without an alarm. */
const passing: readonly GitHubReason[] = ['unreachable', 'server-failed', 'bad-answer']

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
    case 'without-statistics':
      return failed(refreshTried(state), result.error, context)
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
      return failed(refreshable(state), result.error, context)
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
  if (phase.is === 'polling') {
    const tried = refreshTried(state)
    return phase.wasCut || endsSession(error) ? failed(tried, error, context, 'repeatable') : { state: tried }
  }
  if (phase.is !== 'renewing') return failed(state, error, context)
  const attempts = phase.attempts + 1
  const counted = { ...state, phase: { ...phase, attempts } }
  return failed(counted, error, context, attempts < renewalsMax ? 'repeatable' : 'last')
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
  if (error && (times < deliveriesMax || endsSession(error))) {
    return failed({ ...state, phase }, error, context, 'repeatable')
  }
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
  const counted = { ...phase, counts: { ...phase.counts, unreadable: times }, refreshTried: false }
  if (times < deliveriesMax) return failed({ ...state, phase: counted }, error, context, 'repeatable')
  const passedOver = { ...counted, cursor: messageId ?? phase.cursor }
  return failed({ ...state, phase: passedOver }, error, context, 'last')
}

function acknowledged<S extends ListenerSession>(
  state: ListenerState<S>,
  { sessionId, messageId }: Extract<StepResult<S>, { is: 'acknowledged' }>,
): ListenerState<S> {
  const { phase } = state
  if (phase.is !== 'polling' || phase.session.id !== sessionId) return state
  return { ...state, phase: { ...phase, cursor: messageId } }
}

/** After a failed poll, a refresh shows whether the forge can be reached. */
function refreshable<S extends ListenerSession>(state: ListenerState<S>): ListenerState<S> {
  return state.phase.is === 'polling' ? { ...state, phase: { ...state.phase, refreshTried: false } } : state
}

/** A poll comes before the next refresh. */
function refreshTried<S extends ListenerSession>(state: ListenerState<S>): ListenerState<S> {
  return state.phase.is === 'polling' ? { ...state, phase: { ...state.phase, refreshTried: true } } : state
}

/** Sets the pause before the next step, and reports the failure once for as long as it stays the same. */
function failed<S extends ListenerSession>(
  before: ListenerState<S>,
  error: GitHubError,
  context: TransitionContext,
  what: Failed = failedIn(before.phase),
): Transition<S> {
  const { now, random } = context
  const next = nextPhase[what][classOf(error)]
  const phase = phaseAfter(before.phase, next)
  // A refused queue token is normal at its end. A single other failure of a working session is no reason for an alarm.
  if (next === 'renewing') return { state: { ...before, phase } }
  const failures = before.failures + 1
  const since = before.failingSince ?? now
  const state = { ...before, phase, failures, failingSince: since }
  const isFirst = failures === 1 && context.demandKnown && sessionIn(before) !== undefined
  if (isFirst && next === 'opening' && classOf(error) !== 'other') return { state }
  const paused = { ...state, resumeAt: now + waitAfter(error, failures, now, random) }
  if (isFirst && passing.includes(error.reason)) return { state: paused }
  const failure = failureOf(error)
  const reported = `${failure.reason} ${error.reason} ${error.status}`
  const reporting = { ...paused, reported }
  return reported === before.reported ? { state: reporting } : { state: reporting, failing: { failure, since } }
}

/** Returns what an error of the phase's own step has made fail. An attempt to renew counts only at the end of that step. */
function failedIn(phase: Phase<ListenerSession>): Failed {
  if (phase.is === 'renewing') return 'repeatable'
  return phase.is === 'polling' && phase.renewed ? 'renewed' : phase.is
}

function classOf({ reason }: GitHubError): ErrorClass {
  return reason === 'scale-set-gone' || reason === 'session-gone' || reason === 'token-refused' ? reason : 'other'
}

/** Returns whether no step can succeed in the same session any more. */
function endsSession(error: GitHubError): boolean {
  return error.reason === 'session-gone' || error.reason === 'scale-set-gone'
}

function phaseAfter<S extends ListenerSession>(phase: Phase<S>, next: Next): Phase<S> {
  if (phase.is === 'claiming' || next === 'same') return phase
  const previous = phase.is === 'opening' ? phase.previous : phase.session.id
  const { cursor } = phase
  if (next === 'claiming') return { is: 'claiming', previous }
  if (next === 'opening' || phase.is === 'opening') return { is: 'opening', previous, cursor }
  return { is: 'renewing', session: phase.session, cursor, counts: phase.counts, attempts: 0 }
}

function recovered<S extends ListenerSession>(state: ListenerState<S>, context: TransitionContext): ListenerState<S> {
  return context.demandKnown ? { ...state, failingSince: undefined, reported: undefined } : state
}

function pollWait(times: number, { random }: TransitionContext): number {
  return backoffMs({ baseMs: 500, capMs: 10_000 }, times, random)
}
