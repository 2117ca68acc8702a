// Runs a workflow file: creates a run with all its jobs, and reports when all of them have ended.
import type { Checkout } from '../checkout.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { dialects } from './dialect.ts'
import { type Emulation, resultOf } from './emulation.ts'
import { concurrencyOf, plansOf } from './plans.ts'
import { cancelRun, createRun, hasEnded, statusOf } from './runs.ts'
import type { Repository, Result, Run } from './state.ts'

export type WorkflowOptions = {
  /** The repository as `owner/name`. */
  readonly repository: string
  /** The repository of the file on this machine. */
  readonly checkout?: Checkout | undefined
  /** The default is the first event of the file. */
  readonly event?: string | undefined
}

export type WorkflowRun = {
  readonly id: number
  /** Returns the jobs in the order of their ids. */
  jobs(): readonly { readonly id: string; readonly name: string; readonly status: string }[]
  /** Returns undefined while jobs wait or run. */
  result(): Result | undefined
  /** Resolves when all jobs have ended for the first time; never rejects. */
  readonly done: Promise<Result>
  /** Cancels all jobs. Returns false if all have ended. */
  cancel(): boolean
}

const noCommit = '0'.repeat(40)

/** Throws a `MatrixError` or an `ExpressionFailure` if a matrix, a name or a label cannot be evaluated before the run. */
export function runWorkflow(
  emulation: Emulation,
  workflow: Workflow,
  repository: Repository,
  { checkout, event = workflow.event }: Omit<WorkflowOptions, 'repository'>,
): WorkflowRun {
  const number = repository.runs + 1
  const run = createRun(emulation, {
    repository,
    workflow: workflow.file.slice(workflow.file.lastIndexOf('/') + 1),
    event,
    branch: checkout?.branch ?? 'main',
    commit: checkout?.sha ?? noCommit,
    folder: checkout?.sha ? checkout.root : undefined,
    concurrency: dialects[emulation.knobs.dialect].concurrency ? concurrencyOf(workflow, checkout, number) : undefined,
    jobs: plansOf(workflow, checkout, number),
  })
  return {
    id: run.id,
    jobs: () => run.jobs.map(({ id, plan, status }) => ({ id: String(id), name: plan.name, status })),
    result: () => resultOfRun(emulation, run),
    done: whenEnded(emulation, run),
    cancel: () => cancelRun(emulation, run),
  }
}

function resultOfRun(emulation: Emulation, run: Run): Result | undefined {
  return hasEnded(run) ? resultOf({ status: statusOf(emulation, run.jobs) }) : undefined
}

function whenEnded(emulation: Emulation, run: Run): Promise<Result> {
  const { listeners } = emulation
  return new Promise((resolve) => {
    const ids = new Set(run.jobs.map(({ id }) => String(id)))
    const listener = ({ kind, id }: { readonly kind: string; readonly id: string }) => {
      if (kind !== 'finished' || !ids.has(id)) return
      const result = resultOfRun(emulation, run)
      if (result === undefined) return
      listeners.delete(listener)
      resolve(result)
    }
    listeners.add(listener)
  })
}
