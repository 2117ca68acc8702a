// One step: its env, its condition, its run, its outcome, in the order of the real runner (actions/runner, StepsRunner).
import type { Timer } from '../../lib/clock.ts'
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

/** Milliseconds from SIGINT to SIGTERM to SIGKILL: the real runner's, and shorter ones when this program itself has to go. */
const patience = { step: [7_500, 2_500], shutdown: [2_000, 1_000] } as const

/** Runs or skips it and leaves its result in the job's state. Never rejects. */
export async function runStep(step: RunnerStep, state: JobState): Promise<StepReport> {
  const { clock, announce, mask } = state.host
  const due = prepare(step, state)
  const name = mask.apply(due.name)
  if (due.verdict !== 'run') {
    return conclude(step, state, { name, outcome: due.verdict, note: due.note, outputs: {}, startedAt: undefined })
  }
  if (step.kind === 'unsupported') {
    state.host.log.write(`Skipped: ${name} (the action ${step.uses} is not run here)`)
    const note = `The action ${step.uses} is not run here.`
    return conclude(step, state, { name, outcome: 'skipped', note, outputs: {}, startedAt: undefined })
  }
  const startedAt = clock.now()
  announce({ id: step.id, name, status: 'started', at: startedAt })
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

/** Evaluates env, condition and name. As on GitHub the env comes first, so an error in it fails even a step that would be skipped. */
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
  const surroundings = {
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
    const started = { scope, env: stepEnvironment(surroundings), shown: due.env }
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

/** Of minutes; a timer holds no more than 24 days. */
export function millisecondsOf(minutes: number): number {
  return Math.min(minutes * 60_000, 2 ** 31 - 1)
}

/** Minutes, undefined for none. GitHub takes whole minutes; parts of one are ours, so that examples need not last one. */
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

/** Ends the step when its time is up, and when the job is to end, unless its condition holds for a cancelled job too. */
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
  const quiet = stopper.onStop(onStop)
  const group: GroupWatch = {
    clock,
    onLine,
    stop: stop.signal,
    patience: () => (stopper.final ? patience.shutdown : patience.step),
  }
  const end = () => {
    timer?.cancel()
    quiet()
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

/** Applies continue-on-error, and leaves the step's result to the job and to the steps after it. */
function conclude(
  step: RunnerStep,
  state: JobState,
  result: Result & { readonly name: string; readonly startedAt: number | undefined },
): StepReport {
  const { clock, announce, mask } = state.host
  const { name, outcome, outputs, startedAt } = result
  const note = result.note === undefined ? undefined : mask.apply(result.note)
  const conclusion = outcome === 'failure' && continues(step, state) ? 'success' : outcome
  if (!step.id.startsWith('__')) state.steps[step.id] = { outputs: { ...outputs }, outcome, conclusion }
  if (conclusion === 'failure' && state.status === 'success') state.status = 'failure'
  const at = clock.now()
  announce({ id: step.id, name, status: 'finished', at, conclusion })
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

/** Writes what went wrong to the log and returns it; only what a workflow can cause is expected here. */
function explain(state: JobState, error: unknown): string {
  const file = error instanceof FileCommandError
  const expected = file || error instanceof ExpressionFailure || error instanceof ShellError
  const message = error instanceof Error ? error.message : String(error)
  if (file) state.host.log.write('##[error]Unable to process file command successfully.')
  state.host.log.write(`##[error]${expected ? '' : 'The runner could not run this step: '}${message}`)
  return message
}
