// A runner set: the configured kind of runner.

/** A PodTemplateSpec as the user wrote it. src/core/pod.ts merges it over the default. */
export type PodTemplate = {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: Readonly<Record<string, unknown>>
}

export type GitHubSource = {
  readonly kind: 'github'
  /** The repository, organization or enterprise. */
  readonly url: string
  /** The Secret in the set's namespace that holds the credential. */
  readonly credentialsSecret: string
  readonly runnerGroup: string | undefined
  readonly labels: readonly string[]
}

export type RunnerSet = {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly generation: number
  readonly source: GitHubSource
  /** Idle spares on top of demand, and the ceiling of pods that may run a container. `max` 0 pauses the set. */
  readonly scale: { readonly min: number; readonly max: number }
  /** How long the pod and Secret of a runner that ended well are kept for debugging, in milliseconds. */
  readonly keepFinishedMs: number
  /** The same for a runner that failed. */
  readonly keepFailedMs: number
  /** The operator's bound on one life, in milliseconds. It ends busy runners, too. */
  readonly lifeMaxMs: number | undefined
  readonly template: PodTemplate
}
