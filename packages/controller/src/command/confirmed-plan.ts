// Shows a plan, or carries it out once the operator has confirmed its digest.
import { CliFailure } from '@dayfly/command-line/failure'
import { Interrupted, listenForInterruption } from '@dayfly/command-line/interruption'
import { columnsOf, printJson, printNote, printResult } from '@dayfly/command-line/output'
import type { StepResult } from '../operate/step-result.ts'
import { planJson, planLines, resultLine, type Step, type StepPlan, type Wording } from './show-steps.ts'

type Options = { readonly json?: true; readonly confirm?: string }

/** Takes the steps of the plan. It reports each result at once, and returns all of them. */
type Perform<S> = (signal: AbortSignal, report: (result: StepResult<S>) => void) => Promise<readonly StepResult<S>[]>

/** Returns the exit code: 0 if nothing is left, or every step is done. */
export async function showOrPerform<S extends Step>(
  plan: StepPlan<S>,
  wording: Wording<S>,
  { json, confirm }: Options,
  perform: Perform<S>,
): Promise<number> {
  if (confirm === undefined) {
    if (json) printJson(planJson(plan, wording, undefined))
    else printResult(`${planLines(plan, wording, columnsOf()).join('\n')}\n`)
    return plan.steps.length > 0 || plan.untouched.length > 0 ? 1 : 0
  }
  if (confirm !== plan.digest) throw planChanged(plan)
  const interruption = listenForInterruption(({ exitCode }) => process.exit(exitCode))
  try {
    const results = await perform(interruption.signal, (result) => {
      if (!json) printNote(resultLine(result, wording))
    })
    if (json) printJson(planJson(plan, wording, results))
    const done = results.filter(({ is }) => is === 'done').length
    printNote(`${done} of ${results.length} steps done`)
    const { reason } = interruption.signal
    if (reason instanceof Interrupted) return reason.exitCode
    return done === results.length ? 0 : 1
  } finally {
    interruption.release()
  }
}

function planChanged({ digest, steps }: StepPlan<Step>): CliFailure {
  const next =
    steps.length === 0 ? 'Nothing is left to do.' : `Read the new plan without --confirm. Its digest is ${digest}.`
  const sentence = 'The plan is no longer the one that was confirmed, so nothing was done.'
  return new CliFailure({ code: 'plan-changed', sentence, next, exitCode: 1 })
}
