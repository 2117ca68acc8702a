// What a forge hands to a runner, and what the runner reports. The forge's emulator only carries it; the workflow reader makes it; the small runner runs it.

/** A text in which `${{ … }}` has yet to be evaluated, by the runner, when its step is due. */
export type Template = string

type StepCommon = {
  /** Unique in the job; made up where the workflow gives none, and then it begins with `__`. */
  readonly id: string
  readonly name: Template
  /** The condition, without the surrounding `${{ }}`; `success()` where none is given. */
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
  /** `actions/checkout`: a clean local clone of the repository that holds the workflow file. */
  | (StepCommon & {
      readonly kind: 'checkout'
      /** Below the workspace; the workspace itself where absent. */
      readonly path: Template | undefined
      /** A branch, tag or commit; the run's own commit where absent. */
      readonly ref: Template | undefined
      /** Commits of history, 0 for all; 1 where absent. */
      readonly fetchDepth: Template | undefined
    })
  /** Any other `uses:`; listed as skipped with this name. */
  | (StepCommon & { readonly kind: 'unsupported'; readonly uses: string })

export type RunnerJob = {
  readonly jobId: string
  readonly runId: number
  /** The job's key in the workflow file, and its display name with the matrix values. */
  readonly key: string
  readonly name: string
  /** `github`, `needs`, `matrix`, `strategy`, `vars`, `inputs`: what expressions may read besides what the runner knows itself. */
  readonly contexts: Readonly<Record<string, unknown>>
  /** The workflow's and the job's env, outermost first. */
  readonly env: readonly Readonly<Record<string, Template>>[]
  readonly defaults: { readonly shell: string | undefined; readonly workingDirectory: Template | undefined }
  readonly timeoutMinutes: number
  readonly outputs: Readonly<Record<string, Template>>
  readonly steps: readonly RunnerStep[]
  /** The repository on this machine that `actions/checkout` clones; undefined where the workflow stands in none. */
  readonly repository: string | undefined
}

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped'

export type StepReport = {
  readonly id: string
  readonly name: string
  /** After continue-on-error; `outcome` is before it. */
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
  /** A sentence for what no step can say, for example that the time was up. */
  readonly note: string | undefined
}
