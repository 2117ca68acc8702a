// The outcomes of a runner's start.
import { unreachable } from '@dayfly/kit/assert'
import type { Failure } from '../../model/failure.ts'
import type { StartOutcome, Unsuccessful } from '../../model/outcome.ts'
import type { PodFacts, Registration, Runner } from '../../model/runner.ts'
import { refusedTemplate, withStarted } from '../template.ts'
import { podSeen } from './fold-pods.ts'
import { isOfTemplate } from './history.ts'
import { put, remove } from './lives.ts'
import { withLostAnswer } from './runner-facts.ts'
import { begunAt, callFailed, callSucceeded, countFailure, type FoldStep, setSubject, subject } from './step.ts'

/** The runner may be gone by now: then there is nothing left to change. */
export function foldStart(step: FoldStep, name: string, result: StartOutcome): void {
  const runner = step.state.table.get(name)
  if (!runner) return
  switch (result.is) {
    case 'registered':
      registered(step, runner, result.registration)
      break
    case 'pod-created':
      podCreated(step, runner, result.pod)
      break
    case 'secret-created':
      step.state.table.settle(name)
      step.state.template = withStarted(step.state.template, step.limits)
      break
    case 'limited':
      callFailed(step, 'register', result.until)
      remove(step, runner)
      break
    case 'refused':
    case 'lost-answer':
    case 'aborted':
      step.state.table.settle(name)
      unsuccessful(step, runner, result)
      break
    default:
      unreachable(result)
  }
}

function registered(step: FoldStep, runner: Runner, registration: Registration): void {
  callSucceeded(step, 'register')
  put(step, { ...runner, registration: { is: 'present', value: registration, at: step.at } })
  const requestedMs = runner.pod.is === 'requested' ? step.at - runner.pod.since : undefined
  const { id } = registration
  step.events.push({ kind: 'runner-registered', ...subject(step, runner.name), registration: id, requestedMs })
}

/** The response has the pod as it was created. The watch may have shown a newer state by now. */
function podCreated(step: FoldStep, runner: Runner, pod: PodFacts): void {
  const { name } = runner
  if (runner.pod.is === 'requested') podSeen(step, name, pod, step.at)
  step.events.push({ kind: 'pod-created', ...subject(step, name), uid: pod.uid })
}

function unsuccessful(step: FoldStep, runner: Runner, result: Extract<StartOutcome, Unsuccessful>): void {
  const { forge } = step.state
  if (result.step === 'secret') {
    secretMissing(step, runner, result)
  } else if (result.is === 'aborted') {
    // Perhaps registered, perhaps created: the next list and the watch show it.
    forge.registrationsDoubtful = true
    forget(step, runner)
  } else if (result.step === 'register') {
    forge.registrationsDoubtful = true
    callFailed(step, 'register', result.retryAt)
    startRefused(step, runner, result.failure)
  } else if (result.is === 'lost-answer') {
    put(step, withLostAnswer(runner))
  } else {
    podRefused(step, runner, result.failure)
  }
}

/** A pod that the watch has already shown exists, also if nobody read the response to its creation: it must end. */
function forget(step: FoldStep, runner: Runner): void {
  if (runner.pod.is === 'present') put(step, withLostAnswer(runner))
  else remove(step, runner)
}

/**
 * A runner without its Secret can never start. After the end of our term, the next leader sees that.
 * A quota, a rule or a missing right may refuse the Secret of every runner, as it may refuse every pod.
 */
function secretMissing(step: FoldStep, runner: Runner, result: Unsuccessful): void {
  if (result.is === 'aborted') return
  const { reason, message: why } = result.failure
  const isOfAll = result.is === 'refused' && isOfTemplate(result.failure)
  const message = `the Secret ${runner.name} could not be written: ${why}`
  const failure: Failure = { reason: isOfAll ? reason : 'api-unavailable', message }
  if (isOfAll) templateRefused(step, failure)
  put(step, { ...runner, broken: failure })
}

/** A refusal that every runner of the set would meet is the template's: no further runner is registered. */
function podRefused(step: FoldStep, runner: Runner, failure: Failure): void {
  if (isOfTemplate(failure)) templateRefused(step, failure)
  startRefused(step, runner, failure)
}

/** Starts that were under way at the first refusal are refused together, and count as one. */
function templateRefused({ state, events, at }: FoldStep, failure: Failure): void {
  const { template, templateHash: hash } = state
  if (template?.is === 'refused') {
    state.template = { ...template, at }
    return
  }
  state.template = refusedTemplate(hash, failure, at, template)
  events.push({ kind: 'template-refused', ...setSubject(state), hash, failure })
}

/** A pod that the watch has already shown exists in spite of the refusal: it must end, and its end counts the failure. */
function startRefused(step: FoldStep, runner: Runner, failure: Failure): void {
  if (runner.pod.is === 'present') {
    put(step, { ...runner, broken: failure })
    return
  }
  const begun = begunAt(runner)
  remove(step, runner)
  countFailure(step, failure, runner.name, begun)
  step.events.push({
    kind: 'start-refused',
    ...subject(step, runner.name),
    failure,
    requestedMs: step.at - begun,
  })
}
