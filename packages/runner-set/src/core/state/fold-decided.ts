// A tick has decided: its actions begin, and what it reports counts from now on.
import type { Action, Mark, RunnerAction } from '../../model/action.ts'
import type { JournalEvent } from '../../model/event.ts'
import type { Input } from '../../model/input.ts'
import type { Runner } from '../../model/runner.ts'
import { runnersForJobs } from '../desired.ts'
import { freshDemand } from '../need.ts'
import { askBegan } from './fold-reruns.ts'
import { tried } from './history.ts'
import { depart, put } from './lives.ts'
import { requestedRunner } from './runner-facts.ts'
import { begunAt, countFailure, type FoldStep, note } from './step.ts'

export function foldDecided(step: FoldStep, { decision }: Extract<Input, { kind: 'decided' }>): void {
  const { table } = step.state
  for (const event of decision.events) report(step, event)
  for (const mark of decision.marks) {
    const runner = table.get(mark.runner)
    if (runner) put(step, { ...runner, ...marked(mark) })
  }
  for (const action of decision.actions) begin(step, action)
  step.state.capacity = decision.capacity
  step.state.unassigned = decision.unassigned
  step.state.scaledBy = decision.scaledBy ?? step.state.scaledBy
  for (const { runner, at } of decision.due) table.lookAgain(runner, at)
  sawDemand(step)
}

/** The usual demand is learned from what each tick decided by. An unknown demand teaches nothing. */
function sawDemand({ state, limits, at }: FoldStep): void {
  const policy = state.set.scale.usualDemand
  const fresh = policy && freshDemand(state.forge, limits, at)
  if (fresh && state.pods.known) state.usual.saw(runnersForJobs(fresh.value, state.table.counts().busy), policy, at)
}

/** A runner that is proved stuck is held up no more: its problem is shown once. */
function marked(mark: Mark): Partial<Runner> {
  if (mark.is === 'outdated') return { outdated: true }
  return mark.is === 'stuck' ? { stuck: mark.failure, delay: undefined } : { delay: mark.failure }
}

function report(step: FoldStep, event: JournalEvent): void {
  step.events.push(event)
  if (event.kind === 'runner-failed' || event.kind === 'runner-delayed') note(step, event.failure, event.runner)
}

function begin(step: FoldStep, action: Action): void {
  const { state } = step
  switch (action.kind) {
    case 'drop-registration':
      state.pendingRemovals.begin(action.registration.name)
      break
    case 'ask-run':
      askBegan(step, action)
      break
    case 'check-template':
    case 'list-registrations':
    case 'report':
      state.underway[action.kind] = true
      break
    default:
      beginOfRunner(step, action)
      state.table.begin(action.runner)
  }
}

function beginOfRunner(step: FoldStep, action: RunnerAction): void {
  if (action.kind === 'start-runner') {
    step.state.history = tried(step.state.history)
    put(step, requestedRunner(action.runner, step.at))
  }
  const runner = step.state.table.get(action.runner)
  if (!runner) return
  if (action.kind === 'deregister-runner' || action.kind === 'delete-runner') beginEnd(step, runner, action)
}

/** A start that failed counts once, when its end begins. A job that the operator's bound cuts off stays assigned at the forge. */
function beginEnd(
  step: FoldStep,
  runner: Runner,
  { kind, because }: Extract<Action, { kind: 'deregister-runner' | 'delete-runner' }>,
): void {
  if (!runner.ending && because.kind === 'start-failed') {
    countFailure(step, because.failure, runner.name, begunAt(runner))
  }
  if (!runner.ending && because.kind === 'life-exceeded') depart(step, runner)
  const before = runner.ending ?? { answer: 'unasked', failures: 0, retryAt: undefined }
  const deleted = runner.deleted || kind === 'delete-runner'
  put(step, { ...runner, ending: { ...before, because }, deleted, delay: undefined })
}
