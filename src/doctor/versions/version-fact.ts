// Which versions of Kubernetes an object may run on, and who said so.

/** A minor version of Kubernetes: 33 for 1.33. */
export type Minor = number

export type VersionFact = {
  /** The versions to consider. */
  readonly minors: readonly Minor[]
  /** Somebody said that it runs on each of them; else they are only possible. */
  readonly declared: boolean
  /** Who said it. */
  readonly from: string
}
