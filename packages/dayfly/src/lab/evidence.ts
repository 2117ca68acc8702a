// One observation of the lab. The verdicts come from these alone.
/** `wrong remedy`: a popular advice that is shown to fail. */
export type Part = 'incident' | 'wrong remedy' | 'remedy'

/** One observation: a command, its output, and whether the output shows the claim. */
export type Evidence = {
  readonly part: Part
  /** The fact that the output should show. */
  readonly claim: string
  readonly holds: boolean
  /** The time since the start of the cluster. */
  readonly after: string
  readonly command: string
  readonly output: readonly string[]
}
