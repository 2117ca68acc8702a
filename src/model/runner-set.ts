// A runner set: the configured kind of runner.

/** A PodTemplateSpec as the user wrote it; merged over the forge's default by core/pod.ts. */
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
  /** Idle spares on top of demand, and the ceiling of living runners. `max` 0 pauses the set. */
  readonly scale: { readonly min: number; readonly max: number }
  /** How long the pod and Secret of an ended runner stay for debugging, in milliseconds. */
  readonly keepFinishedMs: number
  readonly keepFailedMs: number
  /** The operator's bound on one life, in milliseconds; busy runners are ended by it too. */
  readonly lifeMaxMs: number | undefined
  readonly template: PodTemplate
}
