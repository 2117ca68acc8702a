// The kinds of YAML files that the emulated forges run, with the words for their problems.

export type SourceKind = {
  /** The first part of the codes of its problems. */
  readonly code: 'workflow' | 'pipelines'
  readonly noun: string
  /** The path of such a file, as an example for users. */
  readonly example: string
  /** Whether `<<` merges a mapping, and a key that is given twice is an error. GitHub's own parser decides both for its files. */
  readonly merges: boolean
}

export const workflowKind: SourceKind = {
  code: 'workflow',
  noun: 'workflow',
  example: '.github/workflows/ci.yml',
  merges: false,
}

export const pipelinesKind: SourceKind = {
  code: 'pipelines',
  noun: 'pipelines',
  example: 'bitbucket-pipelines.yml',
  merges: true,
}
