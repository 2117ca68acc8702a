// One pipeline of a bitbucket-pipelines.yml as plain data.

export type Pipeline = {
  /** The path as the user gave it. */
  readonly file: string
  /** The pipeline's place in the file: `default`, or a section and a key, for example `custom/deploy`. */
  readonly selector: string
  /** The groups run one after another. A failed group stops the later ones. */
  readonly groups: readonly StepGroup[]
  /** Sentences about what the file asks for and this machine does not do. */
  readonly notes: readonly string[]
}

/** Steps that run side by side. A sequential step is a group of its own. */
export type StepGroup = {
  readonly parallel: boolean
  /** The name of the stage around the group. */
  readonly stage: string | undefined
  readonly steps: readonly PipelineStep[]
}

export type PipelineStep = {
  readonly name: string
  /** The labels of `runs-on`; undefined if the file leaves them out. */
  readonly runsOn: readonly string[] | undefined
  readonly maxTimeMinutes: number
  readonly script: readonly string[]
  readonly afterScript: readonly string[]
  /** Whether the failure of this step stops the other steps of its group. */
  readonly failFast: boolean
}

/** The sections of a file that hold pipelines by key. */
export const sections = ['branches', 'custom', 'pull-requests', 'tags'] as const
