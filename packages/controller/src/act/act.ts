// Carries out actions: bounded, beside each other, each idempotent. It reports every outcome and repeats nothing: the core decides on the next attempt.
import { unreachable } from '@dayfly/kit/assert'
import { type Limit, limit } from '@dayfly/kit/queue'
import type { Action } from '@dayfly/runner-set/model/action'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { checkTemplate } from './check-template.ts'
import type { ActContext } from './context.ts'
import { cordon } from './cordon.ts'
import { deleteRunner } from './delete-runner.ts'
import { deregister } from './deregister.ts'
import { explainRunner } from './explain-runner.ts'
import { listRegistrations } from './list-registrations.ts'
import { lookUpPod } from './look-up-pod.ts'
import { report } from './report.ts'
import { startRunner } from './start-runner.ts'

/** Number of actions on runners and registrations that one set has under way. The limits of the forge and of the API server are narrower;
 *  this one keeps a set from registering far ahead of its pods. */
const atOnce = 128

export class Actor {
  readonly #report: (outcome: Outcome) => void
  readonly #lives: Limit = limit(atOnce)
  readonly #running = new Set<Promise<void>>()
  #stopped = false

  /** @param reportOutcome is called for every outcome, at once */
  constructor(reportOutcome: (outcome: Outcome) => void) {
    this.#report = reportOutcome
  }

  begin(action: Action, context: ActContext): void {
    const work = () => this.#carryOut(action, context)
    const ofSet = action.kind === 'check-template' || action.kind === 'list-registrations' || action.kind === 'report'
    const running = (ofSet ? work() : this.#lives(work)).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Drops the actions that wait for their turn: the next leader decides again. Resolves when everything under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async #carryOut(action: Action, context: ActContext): Promise<void> {
    if (this.#stopped) return
    if (action.kind !== 'start-runner') {
      this.#report(await outcomeOf(action, context))
      return
    }
    const { kind, runner } = action
    for await (const result of startRunner(context, runner)) this.#report({ action: kind, runner, result })
  }
}

async function outcomeOf(action: Exclude<Action, { kind: 'start-runner' }>, context: ActContext): Promise<Outcome> {
  switch (action.kind) {
    case 'cordon-runner':
      return { action: action.kind, runner: action.runner, result: await cordon(context, action.registration) }
    case 'deregister-runner':
      return { action: action.kind, runner: action.runner, result: await deregister(context, action.registration) }
    case 'delete-runner':
      return {
        action: action.kind,
        runner: action.runner,
        result: await deleteRunner(context, action.runner, action.pod),
      }
    case 'look-up-pod':
      return { action: action.kind, runner: action.runner, result: await lookUpPod(context, action.runner) }
    case 'explain-runner': {
      const { kind, runner, podUid } = action
      return { action: kind, runner, result: await explainRunner(context, runner, podUid) }
    }
    case 'drop-registration': {
      const { kind, registration } = action
      return { action: kind, name: registration.name, result: await deregister(context, registration) }
    }
    case 'check-template':
      return { action: action.kind, hash: action.hash, result: await checkTemplate(context) }
    case 'list-registrations':
      return { action: action.kind, result: await listRegistrations(context) }
    case 'report':
      return { action: action.kind, status: action.status, result: await report(context, action.status) }
    default:
      return unreachable(action)
  }
}
