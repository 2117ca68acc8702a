// Carries out actions: bounded, beside each other, each idempotent. It reports every outcome and repeats nothing: the core decides on the next attempt.
import { type Limit, limit } from '@dayfly/kit/queue'
import type { Action } from '@dayfly/runner-set/model/action'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { askRun } from './ask-run.ts'
import { checkTemplate } from './check-template.ts'
import type { ActContext } from './context.ts'
import { cordon } from './cordon.ts'
import { deleteRunner } from './delete-runner.ts'
import { deregister } from './deregister.ts'
import { explainRunners, type HeldUp } from './explain-runner.ts'
import { listRegistrations } from './list-registrations.ts'
import { lookUpPod } from './look-up-pod.ts'
import { lookUpSecret } from './look-up-secret.ts'
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

  /** Begins all actions of one decision. */
  begin(actions: readonly Action[], context: ActContext): void {
    const heldUp = actions.filter((action) => action.kind === 'explain-runner')
    if (heldUp.length > 0) {
      this.#track(this.#lives(() => this.#explain(heldUp, context)))
    }
    for (const action of actions) {
      if (action.kind === 'explain-runner') continue
      const work = () => this.#carryOut(action, context)
      const ofSet = action.kind === 'check-template' || action.kind === 'list-registrations' || action.kind === 'report'
      this.#track(ofSet ? work() : this.#lives(work))
    }
  }

  async #explain(heldUp: readonly HeldUp[], context: ActContext): Promise<void> {
    if (this.#stopped) return
    for (const outcome of await explainRunners(context, heldUp)) this.#report(outcome)
  }

  #track(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Drops the actions that wait for their turn: the next leader decides again. Resolves when everything under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async #carryOut(action: SingleAction, context: ActContext): Promise<void> {
    if (this.#stopped) return
    const perform = performs[action.kind] as Perform<SingleAction['kind']>
    await perform(action, context, this.#report)
  }
}

/** Runners that are held up are explained together. */
type SingleAction = Exclude<Action, { kind: 'explain-runner' }>

type Of<Union, Kind> = Extract<Union, { readonly kind: Kind } | { readonly action: Kind }>
type Perform<Kind extends SingleAction['kind']> = (
  action: Of<Action, Kind>,
  context: ActContext,
  report: (outcome: Of<Outcome, Kind>) => void,
) => Promise<void>

const performs: { readonly [Kind in SingleAction['kind']]: Perform<Kind> } = {
  'start-runner': async ({ kind, runner }, context, report) => {
    for await (const result of startRunner(context, runner)) report({ action: kind, runner, result })
  },
  'cordon-runner': async ({ kind, runner, registration }, context, report) =>
    report({ action: kind, runner, result: await cordon(context, registration) }),
  'deregister-runner': async ({ kind, runner, registration }, context, report) =>
    report({ action: kind, runner, result: await deregister(context, registration) }),
  'delete-runner': async ({ kind, runner, pod }, context, report) =>
    report({ action: kind, runner, result: await deleteRunner(context, runner, pod) }),
  'look-up-pod': async ({ kind, runner }, context, report) =>
    report({ action: kind, runner, result: await lookUpPod(context, runner) }),
  'look-up-secret': async ({ kind, runner }, context, report) =>
    report({ action: kind, runner, result: await lookUpSecret(context, runner) }),
  'drop-registration': async ({ kind, registration }, context, report) =>
    report({ action: kind, name: registration.name, result: await deregister(context, registration) }),
  'ask-run': async ({ kind, repository, run, ask }, context, report) =>
    report({ action: kind, repository, run, ask, result: await askRun(context, { kind, repository, run, ask }) }),
  'check-template': async ({ kind, hash }, context, report) =>
    report({ action: kind, hash, result: await checkTemplate(context) }),
  'list-registrations': async ({ kind }, context, report) =>
    report({ action: kind, result: await listRegistrations(context) }),
  report: async ({ kind, status }, context, reportOutcome) =>
    reportOutcome({ action: kind, status, result: await report(context, status) }),
}
