// The job that a forge gives to a runner, and the runner's report. The workflow reader creates it, the emulator passes it on, the small runner runs it.

/** A text with `${{ … }}`, which the runner evaluates at the start of its step. */
export type Template = string

type StepCommon = {
  /** The step's id, unique in the job. A generated id begins with `__`. */
  readonly id: string
  readonly name: Template
  /** The condition, without the surrounding `${{ }}`. The default is `success()`. */
  readonly if: string
  readonly env: Readonly<Record<string, Template>>
  readonly continueOnError: boolean | Template
  readonly timeoutMinutes: number | Template | undefined
}

export type RunnerStep =
  | (StepCommon & {
      readonly kind: 'run'
      readonly run: Template
      readonly shell: string | undefined
      readonly workingDirectory: Template | undefined
    })
  /** `actions/checkout`: a clean clone of the repository with the workflow file. */
  | (StepCommon & {
      readonly kind: 'checkout'
      /** A path below the workspace; the default is the workspace itself. */
      readonly path: Template | undefined
      /** A branch, tag or commit; the default is the run's commit. */
      readonly ref: Template | undefined
      /** The number of commits of history, 0 for all; the default is 1. */
      readonly fetchDepth: Template | undefined
    })
  /** Any other `uses:`. The step is listed as skipped. */
  | (StepCommon & { readonly kind: 'unsupported'; readonly uses: string })

export type RunnerJob = {
  readonly jobId: string
  readonly runId: number
  /** The job's key in the workflow file, and its display name with the matrix values. */
  readonly key: string
  readonly name: string
  /** The contexts `github`, `needs`, `matrix`, `strategy`, `vars` and `inputs`. The runner adds its own contexts. */
  readonly contexts: Readonly<Record<string, unknown>>
  /** The environment of the workflow and the job, outermost first. */
  readonly env: readonly Readonly<Record<string, Template>>[]
  readonly defaults: { readonly shell: string | undefined; readonly workingDirectory: Template | undefined }
  readonly timeoutMinutes: number
  readonly outputs: Readonly<Record<string, Template>>
  readonly steps: readonly RunnerStep[]
  /** The path or the HTTP URL of the repository that `actions/checkout` clones; undefined if the workflow file is not in a repository. */
  readonly repository: string | undefined
}

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped'

export type StepReport = {
  readonly id: string
  readonly name: string
  /** The result after continue-on-error; `outcome` is the result before it. */
  readonly conclusion: Conclusion
  readonly outcome: Conclusion
  /** Milliseconds since the epoch; undefined for a step that was not run. */
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
  /** A sentence, for example why the step was skipped or failed. */
  readonly note: string | undefined
}

export type JobReport = {
  readonly conclusion: Conclusion
  readonly outputs: Readonly<Record<string, string>>
  readonly steps: readonly StepReport[]
  /** A sentence about the whole job, for example that it has timed out. */
  readonly note: string | undefined
}
