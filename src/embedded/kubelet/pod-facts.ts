// The facts from which a pod's status is computed.
import type { Instant } from '../../lib/clock.ts'
import type { Phase } from './phase.ts'
import type { ContainerRecord } from './record.ts'

export type PodFacts = {
  readonly records: readonly ContainerRecord[]
  readonly phase: Phase
  /** The time at which the kubelet accepted the pod. */
  readonly startTime: Instant
  /** Whether the volumes and the sandbox exist. */
  readonly hasSandbox: boolean
  /** The reason why the pod as a whole failed, for example `DeadlineExceeded`. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined
}
