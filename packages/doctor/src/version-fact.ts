// The Kubernetes versions that an object may run on, and their source.

/** A minor version of Kubernetes: 33 for 1.33. */
export type Minor = number

export type VersionFact = {
  /** The versions to consider. */
  readonly minors: readonly Minor[]
  /** True: the object runs on each of these versions. False: each of them is only possible. */
  readonly declared: boolean
  /** The source: an option, a chart, the nodes. */
  readonly from: string
}

/** The minor versions whose differences the rules know. */
export const supportedMinors = [28, 29, 30, 31, 32, 33, 34, 35, 36] as const

/** The oldest version that may be declared. From here to the first supported version nothing changes that a rule asks about (KEP-753, KEP-2307). */
export const oldestMinor = 25

/** No version was declared: rules consider every supported one. */
export const undeclaredVersion: VersionFact = { minors: supportedMinors, declared: false, from: 'no version declared' }
