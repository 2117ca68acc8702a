// The parts of a Job that the rules read. decode-struct.ts has checked their types.
import type { ObjectMeta, StoredObject } from '../../../store/object.ts'
import type { Draft } from '../../verbs/draft.ts'
import type { PodSpec } from '../pod/pod-spec.ts'

export type FailureRule = {
  action?: string
  onExitCodes?: { containerName?: string; operator?: string; values?: number[] | null }
  onPodConditions?: { type?: string; status?: string }[]
}

export type JobSpec = {
  parallelism?: number
  completions?: number
  activeDeadlineSeconds?: number
  backoffLimit?: number
  backoffLimitPerIndex?: number
  maxFailedIndexes?: number
  ttlSecondsAfterFinished?: number
  completionMode?: string
  suspend?: boolean
  manualSelector?: boolean
  managedBy?: string
  podReplacementPolicy?: string
  podFailurePolicy?: { rules?: FailureRule[] }
  successPolicy?: object
  selector?: { matchLabels?: Record<string, string>; matchExpressions?: unknown[] }
  template?: {
    metadata?: { -readonly [Field in keyof ObjectMeta]?: ObjectMeta[Field] }
    spec?: PodSpec
  }
}

export type JobCondition = {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
}

export type JobStatus = {
  startTime?: string
  completionTime?: string
  active?: number
  ready?: number
  succeeded?: number
  failed?: number
  terminating?: number
  conditions?: JobCondition[]
  /**
   * Pods that have ended and still have the tracking finalizer. They are counted once, even if the controller stops in
   * between.
   */
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] }
}

/** Returns the spec of a decoded Job. */
export function jobSpecOf(job: Draft | StoredObject): JobSpec {
  return (job['spec'] ?? {}) as JobSpec
}

/** Returns the status of a decoded Job. */
export function jobStatusOf(job: Draft | StoredObject): JobStatus {
  return (job['status'] ?? {}) as JobStatus
}

export function isTrue(status: JobStatus, type: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True')
}
