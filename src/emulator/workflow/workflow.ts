// A workflow as it is run: plain data, checked, with its expressions still to be evaluated.
import type { RunnerJob, RunnerStep, Template } from '../job.ts'

/** JSON whose texts are templates, for example a matrix. */
export type Value = unknown

export type Workflow = {
  /** The path as it was given. */
  readonly file: string
  /** The file's `name:`, else its path. */
  readonly name: string
  /** What the run pretends to be caused by: `push` or `workflow_dispatch` where the file listens to them, else its first event. */
  readonly event: string
  /** The defaults of a manual run's inputs; empty for other events. */
  readonly inputs: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, Template>>
  /** In the order of the file. */
  readonly jobs: readonly WorkflowJob[]
}

export type WorkflowJob = {
  readonly key: string
  /** Undefined: the key, with the matrix values. */
  readonly name: Template | undefined
  readonly needs: readonly string[]
  /** The condition, without the surrounding `${{ }}`; `success()` where none is given. */
  readonly if: string
  readonly runsOn: Value
  /** `matrix`: undefined, a mapping, or one expression that becomes a mapping. */
  readonly strategy: { readonly matrix: Value; readonly failFast: Value; readonly maxParallel: Value }
  readonly continueOnError: Value
  readonly timeoutMinutes: Value
  readonly env: Readonly<Record<string, Template>>
  /** The job's, where it has none the workflow's. */
  readonly defaults: RunnerJob['defaults']
  readonly outputs: Readonly<Record<string, Template>>
  readonly steps: readonly RunnerStep[]
}
