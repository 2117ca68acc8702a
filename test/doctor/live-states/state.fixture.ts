// One hazard as a state of a running cluster, with the same state without it.
import type { PodStageOptions } from '@dayfly/cluster/pod-stage.fixture'
import type { LiveStage } from '../live-stage.fixture.ts'

export type LiveState = {
  readonly code: string
  /** A short description of the hazard. */
  readonly what: string
  readonly options?: PodStageOptions
  /** Creates the state, with or without the hazard. Returns the object that the doctor must find: `Pod p`. */
  readonly make: (stage: LiveStage, isSick: boolean) => Promise<string>
  /** Findings of other rules that always come with the hazard. */
  readonly along?: readonly string[]
  /** A part of the message. */
  readonly says?: string
  readonly look?: Parameters<LiveStage['look']>[0]
}

export const minutes = 60_000
