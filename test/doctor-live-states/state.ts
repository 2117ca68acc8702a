// One hazard as a state of a running cluster, beside the same state without it.
import type { LiveStage } from '../doctor-live-stage.ts'
import type { PodStageOptions } from '../pod-stage.ts'

export type LiveState = {
  readonly code: string
  /** What makes it, in a few words. */
  readonly what: string
  readonly options?: PodStageOptions
  /** Brings the cluster there, with the hazard or without it, and says what the doctor is to find in it: `Pod p`. */
  readonly make: (stage: LiveStage, isSick: boolean) => Promise<string>
  /** Findings of other rules that the hazard cannot be without. */
  readonly along?: readonly string[]
  /** A part of the message. */
  readonly says?: string
  readonly look?: Parameters<LiveStage['look']>[0]
}

export const minutes = 60_000
