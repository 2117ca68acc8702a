// Creates the job that is queued at the forge: labels, display name, and the message for the runner with the contexts known so far.
import { ExpressionFailure, evaluateTemplate, evaluateText, evaluateValue, hasExpression } from '../expression.ts'
import type { RunnerJob } from '../job.ts'
import { type MatrixCell, MatrixError } from './matrix.ts'
import type { Workflow, WorkflowJob } from './workflow.ts'

/** A job that can be queued at the forge. */
export type ReadyJob = {
  /** The key, unique in the run. */
  readonly key: string
  /** The display name, with the matrix values. */
  readonly name: string
  /** The labels of `runs-on`. */
  readonly labels: readonly string[]
  readonly continueOnError: boolean
  readonly message: Omit<RunnerJob, 'jobId' | 'runId'>
}

/** The facts of a run that are known before it starts (`facts.ts`). */
export type RunFacts = {
  /** The contexts `github`, `vars`, `secrets` and `inputs`. */
  readonly contexts: Readonly<Record<string, unknown>> & { readonly github: Readonly<Record<string, unknown>> }
  /** The same as in `RunnerJob`. */
  readonly repository: string | undefined
}

type JobInput = {
  readonly workflow: Workflow
  readonly job: WorkflowJob
  readonly facts: RunFacts
  /** The contexts of the facts, and `needs`. */
  readonly contexts: Readonly<Record<string, unknown>>
}

type MatrixPosition = {
  /** Undefined for a job without a matrix. */
  readonly cell: MatrixCell | undefined
  readonly index: number
  readonly total: { readonly failFast: boolean; readonly maxParallel: number; readonly jobs: number }
}

/** A part of a job's definition cannot be evaluated. */
export class PartFailure extends Error {
  /** The key of the part, such as `runs-on`. */
  readonly part: string

  constructor(part: string, cause: Error) {
    super(cause.message, { cause })
    this.name = 'PartFailure'
    this.part = part
  }
}

/** Throws a `PartFailure` if an expression or a matrix in the part cannot be evaluated. */
export function evaluating<Result>(part: string, evaluate: () => Result): Result {
  try {
    return evaluate()
  } catch (error) {
    if (error instanceof ExpressionFailure || error instanceof MatrixError) throw new PartFailure(part, error)
    throw error
  }
}

/** Evaluates the values that the queue needs. All others stay templates for the runner. Throws a `PartFailure`. */
export function readyJob(
  { workflow, job, facts, contexts: base }: JobInput,
  { cell, index, total }: MatrixPosition,
): ReadyJob {
  const contexts = {
    ...base,
    github: { ...facts.contexts.github, job: job.key },
    matrix: cell?.matrix ?? null,
    strategy: {
      'fail-fast': total.failFast,
      'job-index': index,
      'job-total': total.jobs,
      'max-parallel': total.maxParallel,
    },
  }
  const scope = { contexts }
  const name = evaluating('name', () => displayName(job, cell, scope))
  const minutes = evaluating('timeout-minutes', () => Number(evaluateValue(job.timeoutMinutes, scope)))
  const { shell, workingDirectory } = job.defaults
  return {
    key: cell ? `${job.key}/${index}` : job.key,
    name,
    labels: evaluating('runs-on', () => labelsOf(evaluateValue(job.runsOn, scope))),
    continueOnError: evaluating('continue-on-error', () => evaluateValue(job.continueOnError, scope) === true),
    message: {
      key: job.key,
      name,
      contexts,
      env: [workflow.env, job.env],
      defaults: {
        shell: evaluating('defaults', () => (shell === undefined ? undefined : evaluateText(shell, scope))),
        workingDirectory,
      },
      timeoutMinutes: minutes > 0 ? minutes : 360,
      outputs: job.outputs,
      steps: job.steps,
      repository: facts.repository,
    },
  }
}

/** Returns the display name, at most 100 characters as on GitHub. A literal name gets the matrix values appended; a name with expressions does not. */
function displayName(
  job: WorkflowJob,
  cell: MatrixCell | undefined,
  scope: { contexts: Record<string, unknown> },
): string {
  const name = job.name ?? job.key
  if (hasExpression(name)) return shorten(String(evaluateTemplate(name, scope) ?? '') || job.key)
  return shorten(cell && cell.segments.length > 0 ? `${name} (${cell.segments.join(', ')})` : name)
}

function shorten(name: string): string {
  return name.length > 100 ? `${name.slice(0, 97)}...` : name
}

function labelsOf(runsOn: unknown): readonly string[] {
  if (Array.isArray(runsOn)) return runsOn.flatMap(labelsOf)
  if (typeof runsOn === 'object' && runsOn !== null && 'labels' in runsOn) return labelsOf(runsOn.labels)
  return runsOn === null || runsOn === undefined || runsOn === '' ? [] : [String(runsOn)]
}
