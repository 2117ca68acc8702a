// A validated workflow as plain data. Its expressions are not evaluated yet.
import type { RunnerJob, RunnerStep, Template } from '../job.ts'

/** A JSON value whose texts are templates, for example a matrix. */
export type Value = unknown

export type Workflow = {
  /** The path as the user gave it. */
  readonly file: string
  /** The file's `name:`, or its path if there is none. */
  readonly name: string
  /** The simulated event: `push` or `workflow_dispatch` if the file has one of them, otherwise its first event. */
  readonly event: string
  /** The default inputs of a manual run; empty for other events. */
  readonly inputs: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, Template>>
  /** The jobs in the order of the file. */
  readonly jobs: readonly WorkflowJob[]
  /** The whole file as plain data. */
  readonly root: Readonly<Record<string, unknown>>
}

export type WorkflowJob = {
  readonly key: string
  /** If undefined, the display name is the key with the matrix values. */
  readonly name: Template | undefined
  readonly needs: readonly string[]
  /** The condition, without the surrounding `${{ }}`. The default is `success()`. */
  readonly if: string
  readonly runsOn: Value
  /** `matrix` is undefined, a mapping, or one expression that evaluates to a mapping. */
  readonly strategy: { readonly matrix: Value; readonly failFast: Value; readonly maxParallel: Value }
  readonly continueOnError: Value
  readonly timeoutMinutes: Value
  readonly env: Readonly<Record<string, Template>>
  /** The job's defaults, or the workflow's if the job has none. */
  readonly defaults: RunnerJob['defaults']
  readonly outputs: Readonly<Record<string, Template>>
  readonly steps: readonly RunnerStep[]
}
