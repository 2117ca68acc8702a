// The step that an emulated Bitbucket gives to a runner's process, and its result (packages/forge-emulators/src/bitbucket/runner-wire.md).

export type StepResult = 'SUCCESSFUL' | 'FAILED' | 'ERROR' | 'STOPPED'

/** The commit that the runner clones into the step's folder. */
export type StepSource = {
  /** The path of a repository on this machine. */
  readonly repository: string
  readonly commit: string
  readonly branch: string
}

export type StepMessage = {
  /** UUIDs in braces. */
  readonly accountUuid: string
  readonly repositoryUuid: string
  readonly pipelineUuid: string
  readonly stepUuid: string
  readonly script: readonly string[]
  readonly afterScript: readonly string[]
  readonly maxTimeMinutes: number
  /** The variables of Bitbucket, except those that only the runner knows. */
  readonly variables: Readonly<Record<string, string>>
  /** Absent: the folder of the step is empty. */
  readonly source?: StepSource | undefined
}

export type RunnerResult = {
  readonly status: 'PASSED' | 'FAILED'
  /** One sentence; undefined for a step that passed. */
  readonly error: string | undefined
}
