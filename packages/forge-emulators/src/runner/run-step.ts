// Runs one step: environment, condition, execution, outcome, in the order of the real runner (actions/runner, StepsRunner).
import type { Timer } from '@dayfly/kit/clock'
import { ExpressionFailure, evaluateCondition, evaluateTemplate, evaluateText, type Scope } from '../expression.ts'
import type { Conclusion, RunnerStep, StepReport } from '../job.ts'
import { runCheckout } from './checkout.ts'
import { githubOf, stepEnvironment } from './environment.ts'
import { FileCommandError } from './file-commands.ts'
import { type JobState, scopeOf } from './job-state.ts'
import type { GroupEnd, GroupWatch } from './process-group.ts'
import { runScript } from './run-script.ts'
import { ShellError } from './shell.ts'
import { createStepFiles } from './step-files.ts'
import { createStepOutput } from './step-output.ts'

/** Milliseconds from SIGINT to SIGTERM and from there to SIGKILL. The `step` delays are those of the real runner; `shutdown` is for the end of this program. */
export const stopDelays = { step: [7_500, 2_500], shutdown: [2_000, 1_000] } as const

/** Runs or skips the step and stores its result in the job's state. Never rejects. */
export async function runStep(step: RunnerStep, state: JobState): Promise<StepReport> {
  const { clock, reportStep, mask } = state.host
  const due = prepare(step, state)
  const name = mask.apply(due.name)
  if (due.verdict !== 'run') {
    return conclude(step, state, { name, outcome: due.verdict, note: due.note, outputs: {}, startedAt: undefined })
  }
  if (step.kind === 'unsupported') {
    const note = `The action ${step.uses} is not supported.`
    state.host.log.write(`Skipped: ${name}. ${note}`)
    return conclude(step, state, { name, outcome: 'skipped', note, outputs: {}, startedAt: undefined })
  }
  const startedAt = clock.now()
  reportStep({ id: step.id, name, status: 'started', at: startedAt })
  const result = await execute(step, state, { ...due, name })
  return conclude(step, state, { ...result, name, startedAt })
}

type Due = {
  readonly name: string
  readonly verdict: 'run' | 'skipped' | 'failure'
  readonly note: string | undefined
  /** The `env` context: the job's and the step's own. */
  readonly env: Readonly<Record<string, string>>
}

type Executable = Exclude<RunnerStep, { readonly kind: 'unsupported' }>

type Result = {
  readonly outcome: Conclusion
  readonly note: string | undefined
  readonly outputs: Readonly<Record<string, string>>
}

/** Evaluates environment, condition and name. GitHub evaluates the environment first, so an error in it fails even a step that would be skipped. */
function prepare(step: RunnerStep, state: JobState): Due {
  const env = { ...state.env }
  let name = step.name
  try {
    const before = scopeOf(state, { github: { action: step.id } })
    for (const [key, template] of Object.entries(step.env)) env[key] = evaluateText(template, before)
    const scope = scopeOf(state, { env, github: { action: step.id } })
    const runs = !state.host.stopper.final && evaluateCondition(step.if, scope)
    name = tryText(step.name, scope)
    return { name, verdict: runs ? 'run' : 'skipped', note: undefined, env }
  } catch (error) {
    return { name, verdict: 'failure', note: explain(state, error), env }
  }
}

function tryText(template: string, scope: Scope): string {
  try {
    return evaluateText(template, scope).split('\n', 1)[0] ?? ''
  } catch {
    return template
  }
}

async function execute(step: Executable, state: JobState, due: Due): Promise<Result> {
  const files = createStepFiles(state)
  const github = { ...files.github, action: step.id, workspace: state.host.folders.workspace }
  const scope = scopeOf(state, { env: due.env, github })
  const { inherited, runner, trackingId } = state.host
  const parts = {
    inherited,
    env: due.env,
    paths: state.paths,
    github: { ...githubOf(state.job), ...github },
    runner,
    trackingId,
  }
  const output = createStepOutput(state, due.env)
  const limit = timeLimit(step, state, scope)
  const watch = watchStep(step, state, { scope, limit, onLine: output.onLine })
  try {
    const started = { scope, env: stepEnvironment(parts), shown: due.env }
    const end =
      step.kind === 'run'
        ? await runScript(step, state, started, watch.group)
        : await runCheckout(step, state, started, watch.group)
    const outputs = { ...output.outputs, ...files.take() }
    const timeout = watch.timedOut() ? `The action '${due.name}' has timed out after ${limit} minutes.` : undefined
    const result = judge(end, state, timeout)
    if (result.outcome !== 'success' || !output.failed) return { ...result, outputs }
    return { outcome: 'failure', note: 'A workflow command failed.', outputs }
  } catch (error) {
    return { outcome: 'failure', note: explain(state, error), outputs: output.outputs }
  } finally {
    watch.end()
    files.remove()
  }
}

/** Converts minutes to milliseconds, at most 24 days: the maximum of a timer. */
export function millisecondsOf(minutes: number): number {
  return Math.min(minutes * 60_000, 2 ** 31 - 1)
}

/** Returns the step's limit in minutes; undefined if it has none. GitHub accepts only whole minutes; fractions keep the examples short. */
function timeLimit(step: RunnerStep, state: JobState, scope: Scope): number | undefined {
  if (step.timeoutMinutes === undefined) return undefined
  try {
    const minutes =
      typeof step.timeoutMinutes === 'number'
        ? step.timeoutMinutes
        : Number(evaluateTemplate(step.timeoutMinutes, scope))
    return minutes > 0 ? minutes : undefined
  } catch (error) {
    state.host.log.write('##[error]An error occurred when attempting to determine the step timeout.')
    explain(state, error)
    return undefined
  }
}

/** Stops the step at its time limit, and when the job must end, unless its condition also holds for a cancelled job. */
function watchStep(
  step: RunnerStep,
  state: JobState,
  { scope, limit, onLine }: { scope: Scope; limit: number | undefined; onLine: GroupWatch['onLine'] },
) {
  const { clock, stopper } = state.host
  const stop = new AbortController()
  let timer: Timer | undefined
  let timedOut = false
  if (limit !== undefined) {
    timer = clock.after(millisecondsOf(limit), () => {
      timedOut = true
      stop.abort()
    })
  }
  const onStop = () => {
    if (stopper.final || !holdsWhenCancelled(step, state, scope)) stop.abort()
  }
  const unsubscribe = stopper.onStop(onStop)
  const group: GroupWatch = {
    clock,
    onLine,
    stop: stop.signal,
    stopDelays: () => (stopper.final ? stopDelays.shutdown : stopDelays.step),
  }
  const end = () => {
    timer?.cancel()
    unsubscribe()
  }
  return { group, timedOut: () => timedOut && stopper.reason === undefined, end }
}

function holdsWhenCancelled(step: RunnerStep, state: JobState, scope: Scope): boolean {
  try {
    const contexts = { ...scope.contexts, job: { status: state.status } }
    return evaluateCondition(step.if, { ...scope, contexts })
  } catch {
    return false
  }
}

function judge(end: GroupEnd, state: JobState, timeout: string | undefined): Omit<Result, 'outputs'> {
  const failed = (note: string, outcome: Conclusion = 'failure') => {
    state.host.log.write(`##[error]${note}`)
    return { outcome, note }
  }
  if (end.kind === 'refused') return failed(end.why)
  if (end.kind === 'stopped') return timeout ? failed(timeout) : failed('The operation was canceled.', 'cancelled')
  if (end.code === 0) return { outcome: 'success', note: undefined }
  return failed(`Process completed with exit code ${end.code}.`)
}

/** Applies continue-on-error, and stores the step's result for the job and for later steps. */
function conclude(
  step: RunnerStep,
  state: JobState,
  result: Result & { readonly name: string; readonly startedAt: number | undefined },
): StepReport {
  const { clock, reportStep, mask } = state.host
  const { name, outcome, outputs, startedAt } = result
  const note = result.note === undefined ? undefined : mask.apply(result.note)
  const conclusion = outcome === 'failure' && continues(step, state) ? 'success' : outcome
  if (!step.id.startsWith('__')) state.steps[step.id] = { outputs: { ...outputs }, outcome, conclusion }
  if (conclusion === 'failure' && state.status === 'success') state.status = 'failure'
  const at = clock.now()
  reportStep({ id: step.id, name, status: 'finished', at, conclusion })
  return {
    id: step.id,
    name,
    conclusion,
    outcome,
    startedAt,
    finishedAt: startedAt === undefined ? undefined : at,
    note,
  }
}

function continues(step: RunnerStep, state: JobState): boolean {
  if (typeof step.continueOnError === 'boolean') return step.continueOnError
  try {
    return evaluateTemplate(step.continueOnError, scopeOf(state, {})) === true
  } catch (error) {
    explain(state, error)
    return false
  }
}

/** Writes an error to the log and returns its message. A message without a prefix is an error that the workflow caused. */
function explain(state: JobState, error: unknown): string {
  const file = error instanceof FileCommandError
  const expected = file || error instanceof ExpressionFailure || error instanceof ShellError
  const message = error instanceof Error ? error.message : String(error)
  if (file) state.host.log.write('##[error]Unable to process file command successfully.')
  state.host.log.write(`##[error]${expected ? '' : 'The runner could not run this step: '}${message}`)
  return message
}
