// The context and the snapshot that the parts of one sync of a Job share.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Profile } from '../../api/api.ts'
import type { Registry } from '../../api/registry.ts'
import type { EventRecorder } from '../../event-recorder.ts'
import type { Backoff } from './backoff.ts'
import { type Job, waitsForEnd } from './job-object.ts'
import { isTerminating, type JobPod } from './job-pod.ts'

/**
 * How finished pods are counted. `finalizers`: each pod stays until it is counted (Kubernetes 1.26 and later). `presence`: the count is the
 * number of finished pods that exist (the only way up to 1.21).
 */
export type JobTracking = 'finalizers' | 'presence'

export type JobContext = {
  readonly registry: Registry
  readonly clock: Clock
  readonly profile: Profile
  readonly tracking: JobTracking
  readonly events: EventRecorder
  /** Kept between syncs, in memory only, as in Kubernetes. */
  readonly backoff: Backoff
  /** Syncs the Job again in `ms` milliseconds. */
  readonly again: (ms: number) => void
}

/** A Job and its pods at the start of a sync. */
export type JobSnapshot = {
  readonly job: Job
  readonly pods: readonly JobPod[]
  readonly now: Instant
  /** The numbers of ended pods include those that the status does not count yet. */
  readonly succeeded: number
  readonly failed: number
}

/** The numbers of pods once the requests of this sync are done. */
export type Counts = { active: number; ready: number; terminating: number }

/** With the default replacement policy a terminating pod counts as failed at once, because its node may never report the end. */
export function hasFailed(job: Job, pod: JobPod): boolean {
  if (pod.status.phase === 'Failed') return true
  return !waitsForEnd(job) && isTerminating(pod)
}
