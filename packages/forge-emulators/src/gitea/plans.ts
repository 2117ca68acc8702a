// Makes the plans of jobs: of a spec with shell commands, or of a workflow file with its matrices.

import { stringify } from 'yaml'
import type { Checkout } from '../checkout.ts'
import { evaluateText, evaluateValue, hasExpression } from '../expression.ts'
import { runFacts } from '../workflow/facts.ts'
import { expandMatrix } from '../workflow/matrix.ts'
import type { Workflow, WorkflowJob } from '../workflow/workflow.ts'
import type { Concurrency, JobPlan, Result } from './state.ts'

export type JobSpec = {
  /** The repository as `owner/name`. */
  readonly repository: string
  readonly labels: readonly string[]
  readonly name?: string | undefined
  /** How long it runs on a stub runner, in milliseconds; undefined: until the control finishes it. */
  readonly durationMs?: number | undefined
  /** Its result if it ends by itself. The default is `success`. */
  readonly result?: 'success' | 'failure' | undefined
  /** The concurrency group of its run. It waits while another run of the group runs, and cancels those that wait. */
  readonly group?: string | undefined
  /** The commands that a process runs. Absent: it waits as long as a stub runner would. */
  readonly steps?: readonly { readonly run: string; readonly name?: string | undefined }[] | undefined
}

export function planOfSpec({ labels, name = 'job', durationMs, result = 'success', steps }: JobSpec): JobPlan {
  const commands = steps ?? waitOf(durationMs, result)
  const payload = () => stringify({ name, on: 'push', jobs: { job: { name, 'runs-on': labels, steps: commands } } })
  return {
    ...{ key: 'job', name, labels, needs: [], hasCondition: false, payload, durationMs, result },
    steps: commands.map(stepName),
  }
}

/** A job without steps does what a stub runner does: it waits, and then has its result. */
function waitOf(durationMs: number | undefined, result: Result): NonNullable<JobSpec['steps']> {
  const wait = { run: durationMs === undefined ? 'sleep infinity' : `sleep ${durationMs / 1_000}` }
  return result === 'success' ? [wait] : [wait, { run: 'exit 1' }]
}

type StepParts = { readonly name?: unknown; readonly run?: unknown; readonly uses?: unknown; readonly id?: unknown }

/** A step without a name shows what it runs. */
function stepName({ name, run, uses, id }: StepParts): string {
  if (name) return String(name)
  const [line = ''] = String(run ?? '')
    .trim()
    .split('\n', 1)
  return `Run ${line || String(uses ?? id ?? '')}`
}

/** Returns the plans of all jobs. As at Gitea, matrices and labels are evaluated before the run, so they cannot depend on `needs`. */
export function plansOf(workflow: Workflow, checkout: Checkout | undefined, runId: number): readonly JobPlan[] {
  const { contexts } = runFacts(workflow, checkout, runId)
  return workflow.jobs.flatMap((job) => plansOfJob(workflow, job, contexts))
}

type Mapping = Readonly<Record<string, unknown>>

function plansOfJob({ root }: Workflow, job: WorkflowJob, contexts: Mapping): readonly JobPlan[] {
  const definition = mapping(mapping(root['jobs'])[job.key])
  const { matrix } = job.strategy
  const cells = matrix === undefined ? [undefined] : expandMatrix(evaluateValue(matrix, { contexts }))
  const steps = Array.isArray(definition['steps']) ? definition['steps'].map(mapping) : []
  const plans = cells.map((cell): JobPlan => {
    const scope = { contexts: { ...contexts, matrix: cell?.matrix ?? null } }
    const name = nameOf(job, cell?.matrix, scope)
    const labels = labelsOf(job.runsOn, scope)
    const payload = () => payloadOf(root, job.key, { name, labels, matrix: cell?.matrix })
    return {
      ...{ key: job.key, name, labels, needs: job.needs, payload, durationMs: undefined, result: 'success' },
      hasCondition: definition['if'] !== undefined,
      steps: steps.map(stepName),
    }
  })
  return plans.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}

type Scope = { readonly contexts: Mapping }

/** The values of a matrix follow the name in the order of their keys. */
function nameOf({ name, key }: WorkflowJob, matrix: Mapping | undefined, scope: Scope): string {
  const given = name ?? key
  if (!matrix) return evaluateText(given, scope)
  if (hasExpression(given)) return evaluateText(given, scope)
  const values = Object.keys(matrix)
    .sort()
    .map((each) => String(matrix[each]))
  return `${given} (${values.join(', ')})`
}

/** A label that an expression leaves empty stays: no runner has it. */
function labelsOf(runsOn: unknown, scope: Scope): readonly string[] {
  const value = typeof runsOn === 'string' ? evaluateValue(runsOn, scope) : runsOn
  const list = Array.isArray(value) ? value : [mapping(value)['labels'] ?? value].flat()
  return list.map((label) => String(evaluateValue(label, scope) ?? ''))
}

type Cell = { readonly name: string; readonly labels: readonly string[]; readonly matrix: Mapping | undefined }

/** Returns the workflow with only this job and only this cell of its matrix. */
function payloadOf(root: Mapping, key: string, { name, labels, matrix }: Cell): string {
  const { needs, concurrency, ...job } = mapping(mapping(root['jobs'])[key])
  const values = Object.entries(matrix ?? {}).map(([each, value]) => [each, [value]])
  const strategy = matrix ? { strategy: { ...mapping(job['strategy']), matrix: Object.fromEntries(values) } } : {}
  const only = { ...job, name, 'runs-on': labels.length === 1 ? labels[0] : labels, ...strategy }
  return stringify({ ...root, jobs: { [key]: only } })
}

/** Returns the concurrency group of the whole workflow. */
export function concurrencyOf(
  workflow: Workflow,
  checkout: Checkout | undefined,
  runId: number,
): Concurrency | undefined {
  const { contexts } = runFacts(workflow, checkout, runId)
  const value = evaluateValue(workflow.root['concurrency'], { contexts })
  if (typeof value === 'string') return value === '' ? undefined : { group: value, cancelInProgress: false }
  const { group, 'cancel-in-progress': cancel } = mapping(value)
  if (group === undefined || group === '') return undefined
  return { group: String(group), cancelInProgress: String(cancel) === 'true' }
}

function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {}
}
