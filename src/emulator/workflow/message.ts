// One due job as the forge carries it: labels, display name, and the message for the runner with the contexts that are known by now.
import { evaluateTemplate, evaluateText, evaluateValue, hasExpression } from '../expression.ts'
import type { RunnerJob } from '../job.ts'
import type { MatrixCell } from './matrix.ts'
import type { Workflow, WorkflowJob } from './workflow.ts'

/** What is queued at the forge. */
export type ReadyJob = {
  /** Unique in the run. */
  readonly key: string
  /** The display name, with the matrix values. */
  readonly name: string
  /** From `runs-on`. */
  readonly labels: readonly string[]
  readonly continueOnError: boolean
  readonly message: Omit<RunnerJob, 'jobId' | 'runId'>
}

/** What is known of a run before it starts (`facts.ts`). */
export type RunFacts = {
  /** `github`, `vars`, `secrets`, `inputs`. */
  readonly contexts: Readonly<Record<string, unknown>> & { readonly github: Readonly<Record<string, unknown>> }
  /** As in `RunnerJob`. */
  readonly repository: string | undefined
}

type Surroundings = {
  readonly workflow: Workflow
  readonly job: WorkflowJob
  readonly facts: RunFacts
  /** The facts' contexts and `needs`. */
  readonly contexts: Readonly<Record<string, unknown>>
}

type Place = {
  /** Undefined for a job without a matrix. */
  readonly cell: MatrixCell | undefined
  readonly index: number
  readonly total: { readonly failFast: boolean; readonly maxParallel: number; readonly jobs: number }
}

/** Evaluates what queueing needs; the rest stays a template for the runner. Throws an `ExpressionFailure`. */
export function readyJob(
  { workflow, job, facts, contexts: base }: Surroundings,
  { cell, index, total }: Place,
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
  const name = displayName(job, cell, scope)
  const minutes = Number(evaluateValue(job.timeoutMinutes, scope))
  return {
    key: cell ? `${job.key}/${index}` : job.key,
    name,
    labels: labelsOf(evaluateValue(job.runsOn, scope)),
    continueOnError: evaluateValue(job.continueOnError, scope) === true,
    message: {
      key: job.key,
      name,
      contexts,
      env: [workflow.env, job.env],
      defaults: {
        shell: job.defaults.shell === undefined ? undefined : evaluateText(job.defaults.shell, scope),
        workingDirectory: job.defaults.workingDirectory,
      },
      timeoutMinutes: minutes > 0 ? minutes : 360,
      outputs: job.outputs,
      steps: job.steps,
      repository: facts.repository,
    },
  }
}

/** A literal name is followed by the matrix values; a name with expressions stands as it is. At most 100 characters, as on GitHub. */
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
