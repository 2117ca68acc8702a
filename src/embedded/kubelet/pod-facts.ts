// What a pod's status is made from.
import type { Instant } from '../../lib/clock.ts'
import type { Phase } from './phase.ts'
import type { ContainerRecord } from './record.ts'

export type PodFacts = {
  readonly records: readonly ContainerRecord[]
  readonly phase: Phase
  /** When the kubelet took the pod. */
  readonly startTime: Instant
  /** Volumes and sandbox are there, and not yet taken away. */
  readonly hasSandbox: boolean
  /** Why the pod as a whole failed, for example `DeadlineExceeded`. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined
}
