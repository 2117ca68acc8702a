// The outcomes of all actions but the start of a runner.
import { unreachable } from '@dayfly/kit/assert'
import type { Failure } from '../../model/failure.ts'
import type { DeregisterOutcome, Outcome } from '../../model/outcome.ts'
import type { Runner } from '../../model/runner.ts'
import { afterFailure } from '../retry.ts'
import { afterRefusal, refusedTemplate, templateVerdict } from '../template.ts'
import { registrationsListed } from './fold-forge.ts'
import { podSeen } from './fold-pods.ts'
import { foldAsk } from './fold-reruns.ts'
import { foldStart } from './fold-start.ts'
import { isOfTemplate } from './history.ts'
import { put, remove } from './lives.ts'
import { withAnswer, withCordon } from './runner-facts.ts'
import { begunAt, callFailed, callSucceeded, countFailure, type FoldStep, note, setSubject, subject } from './step.ts'

type OutcomeOf<Kind extends Outcome['action']> = Extract<Outcome, { action: Kind }>

export function foldOutcome(step: FoldStep, outcome: Outcome): void {
  switch (outcome.action) {
    case 'start-runner':
      foldStart(step, outcome.runner, outcome.result)
      break
    case 'cordon-runner':
      ofRunner(step, outcome.runner, (runner) => cordoned(step, runner, outcome))
      break
    case 'deregister-runner':
      ofRunner(step, outcome.runner, (runner) => deregistered(step, runner, outcome.result))
      break
    case 'delete-runner':
      ofRunner(step, outcome.runner, (runner) => deleted(step, runner, outcome))
      break
    case 'look-up-pod':
      ofRunner(step, outcome.runner, (runner) => lookedUp(step, runner, outcome))
      break
    case 'look-up-secret':
      ofRunner(step, outcome.runner, (runner) => secretLookedUp(step, runner, outcome))
      break
    case 'explain-runner':
      ofRunner(step, outcome.runner, (runner) => explained(step, runner, outcome))
      break
    case 'drop-registration':
      dropped(step, outcome)
      break
    case 'ask-run':
      foldAsk(step, outcome)
      break
    case 'check-template':
      templateChecked(step, outcome)
      break
    case 'list-registrations':
      listed(step, outcome)
      break
    case 'report':
      reported(step, outcome)
      break
    default:
      unreachable(outcome)
  }
}

/** The action is over. The runner may be gone by now: then there is nothing left to change. */
function ofRunner({ state }: FoldStep, name: string, change: (runner: Runner) => void): void {
  const runner = state.table.get(name)
  state.table.settle(name)
  if (runner) change(runner)
}

function deregistered(step: FoldStep, runner: Runner, result: DeregisterOutcome): void {
  switch (result.is) {
    case 'removed':
    case 'absent':
      if (result.is === 'removed') leavesNothing(step, runner)
      put(step, withAnswer(runner, result.is, step.at))
      break
    case 'busy':
      stillBusy(step, runner)
      break
    case 'aborted':
      break
    default:
      endLater(step, runner, 'refused', result.retryAt)
      step.events.push({
        kind: 'registration-kept',
        ...setSubject(step.state),
        name: runner.name,
        failure: result.failure,
      })
  }
}

/** Its end may have been seen before the answer: there is no job that the demand could count, and no registration. */
function leavesNothing({ state }: FoldStep, { name }: Runner): void {
  state.departures.settle(name)
  state.pendingRemovals.clear(name)
}

/** A spent runner may have got one more job: its end waits for that. */
function stillBusy(step: FoldStep, runner: Runner): void {
  const answered = withAnswer(runner, 'busy', step.at)
  put(step, answered)
  const failures = runner.ending?.failures ?? 0
  if (answered.ending?.because.kind !== 'spent') return
  endLater(step, { ...answered, ending: { ...answered.ending, failures } }, 'same', undefined)
}

function cordoned(step: FoldStep, runner: Runner, { result }: OutcomeOf<'cordon-runner'>): void {
  switch (result.is) {
    case 'cordoned':
      put(step, withCordon(runner, step.at))
      step.events.push({ kind: 'runner-cordoned', ...subject(step, runner.name) })
      break
    case 'aborted':
      break
    default: {
      const before = runner.cordonRetry?.failures ?? 0
      const { failures, retryAt } = afterFailure(
        { at: step.at, before, retryAt: result.retryAt, key: runner.name },
        step.limits,
      )
      put(step, { ...runner, cordonRetry: { failures, retryAt } })
      step.events.push({ kind: 'cordon-failed', ...subject(step, runner.name), failure: result.failure })
    }
  }
}

/** The end goes on after a back-off of its own. */
function endLater(step: FoldStep, runner: Runner, answer: 'refused' | 'same', retryAt: number | undefined): void {
  const { ending, name } = runner
  if (!ending) return
  const retry = afterFailure({ at: step.at, before: ending.failures, retryAt, key: name }, step.limits)
  put(step, { ...runner, ending: { ...ending, answer: answer === 'same' ? ending.answer : answer, ...retry } })
}

function deleted(step: FoldStep, runner: Runner, { result }: OutcomeOf<'delete-runner'>): void {
  const { state, at, limits } = step
  switch (result.is) {
    case 'deleted':
      if (runner.pod.is === 'present') state.removed.add(runner.name)
      remove(step, runner)
      break
    case 'deleting':
      if (runner.ending) put(step, { ...runner, ending: { ...runner.ending, retryAt: at + limits.deleteAgainMs } })
      break
    case 'conflict':
      // The pod has changed since the decision. Its new state decides.
      endLater(step, { ...runner, deleted: false }, 'same', undefined)
      break
    case 'aborted':
      break
    default:
      endLater(step, runner, 'same', result.retryAt)
      writeFailed(step, `delete-runner ${runner.name}`, result.failure)
  }
}

/** Without a pending look-up, the watch has shown the pod by now. It knows more than the response. */
function lookedUp(step: FoldStep, runner: Runner, { result }: OutcomeOf<'look-up-pod'>): void {
  const { lookUp } = runner
  if (!lookUp) return
  const failure: Failure = { reason: 'api-unavailable', message: 'the API server did not create the pod' }
  switch (result.is) {
    case 'present':
      podSeen(step, runner.name, result.pod, step.at)
      break
    case 'absent':
      remove(step, runner)
      countFailure(step, failure, runner.name, begunAt(runner))
      break
    case 'aborted':
      break
    default:
      lookUpLater(step, runner, result.retryAt)
  }
}

function secretLookedUp(step: FoldStep, runner: Runner, { result }: OutcomeOf<'look-up-secret'>): void {
  switch (result.is) {
    case 'present':
      put(step, { ...runner, secret: 'written', lookUp: undefined })
      break
    case 'absent':
      put(step, { ...runner, secret: 'absent', lookUp: undefined })
      break
    case 'aborted':
      break
    default:
      lookUpLater(step, runner, result.retryAt)
  }
}

function lookUpLater(step: FoldStep, runner: Runner, retryAt: number | undefined): void {
  const tried = { at: step.at, before: runner.lookUp?.failures ?? 0, retryAt, key: runner.name }
  put(step, { ...runner, lookUp: afterFailure(tried, step.limits) })
}

/** Without a response nothing is explained. A runner that still does not start is looked up again. */
function explained(step: FoldStep, runner: Runner, { result }: OutcomeOf<'explain-runner'>): void {
  // A step that is over says no more. A failure may last although the cluster no longer has its Event.
  const before = result.is === 'explained' && runner.explained?.step ? undefined : runner.explained
  const cause = result.is === 'explained' ? result.cause : undefined
  if (cause && !cause.step) note(step, cause, runner.name)
  put(step, { ...runner, explained: cause ?? before, explainedAt: step.at })
}

function dropped(step: FoldStep, { name, result }: OutcomeOf<'drop-registration'>): void {
  const { state, events, at, limits } = step
  switch (result.is) {
    case 'removed':
    case 'absent':
      state.pendingRemovals.clear(name)
      events.push({ kind: 'registration-dropped', ...setSubject(state), name })
      break
    case 'busy': {
      const failure: Failure = { reason: 'deregistration-refused', message: 'the forge reports it as busy' }
      state.pendingRemovals.stillBusy(name, at, limits)
      events.push({ kind: 'registration-kept', ...setSubject(state), name, failure })
      return
    }
    case 'aborted':
      state.pendingRemovals.settle(name)
      break
    default:
      state.pendingRemovals.failed(name, at, result.retryAt, limits)
      events.push({ kind: 'registration-kept', ...setSubject(state), name, failure: result.failure })
  }
}

function templateChecked(step: FoldStep, { hash, result }: OutcomeOf<'check-template'>): void {
  const { state, events, at } = step
  state.underway['check-template'] = false
  if (result.is === 'aborted') return
  if (result.is !== 'accepted' && !isOfTemplate(result.failure)) {
    callFailed(step, 'check-template', result.retryAt)
    writeFailed(step, 'check-template', result.failure)
    return
  }
  callSucceeded(step, 'check-template')
  const before = state.template?.hash === hash ? state.template : undefined
  const verdict =
    result.is === 'accepted'
      ? afterRefusal(templateVerdict(state.set, hash, result.stored, at), before)
      : refusedTemplate(hash, result.failure, at, before)
  state.template = verdict
  const { is } = verdict
  if (is === 'refused') events.push({ kind: 'template-refused', ...setSubject(state), hash, failure: verdict.failure })
  else events.push({ kind: 'template-accepted', ...setSubject(state), hash })
}

function listed(step: FoldStep, { result }: OutcomeOf<'list-registrations'>): void {
  const { state } = step
  state.underway['list-registrations'] = false
  if (result.is === 'listed') {
    registrationsListed(step, result.registrations, result.askedAt)
  } else if (result.is !== 'aborted') {
    callFailed(step, 'list-registrations', result.retryAt)
    step.events.push({ kind: 'forge-failed', ...setSubject(state), failure: result.failure })
  }
}

function reported(step: FoldStep, { status, result }: OutcomeOf<'report'>): void {
  const { state, at } = step
  state.underway.report = false
  if (result.is === 'aborted') return
  state.conditions = status.conditions
  switch (result.is) {
    case 'written':
      state.reported = { status, at }
      callSucceeded(step, 'report')
      break
    case 'gone':
      // The watch ends the work on a set that is gone. If it does not, the answer was wrong.
      state.reported = { status: undefined, at }
      callFailed(step, 'report', undefined)
      break
    default:
      state.reported = { status: undefined, at }
      callFailed(step, 'report', result.retryAt)
      writeFailed(step, 'report', result.failure)
  }
}

function writeFailed(step: FoldStep, action: string, { message }: Failure): void {
  step.events.push({ kind: 'write-failed', ...setSubject(step.state), action, message })
}
