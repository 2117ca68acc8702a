// A cluster that the operator declares, with the files that go to it.

export type DeclaredCluster = {
  readonly name: string
  /** Globs over the paths of the files, as the input names them. */
  readonly paths: readonly string[]
  /** A minor version, such as `1.34`. */
  readonly kubernetesVersion?: string | undefined
}
