// How a Job stands when it is looked at.
import type { Instant } from '../../../lib/clock.ts'
import { type Job, waitsForEnd } from './job-object.ts'
import { isTerminating, type JobPod } from './job-pod.ts'

export type Standing = {
  readonly job: Job
  readonly pods: readonly JobPod[]
  readonly now: Instant
  /** With what is not yet counted. */
  readonly succeeded: number
  readonly failed: number
}

/** Of the pods: how many there will be once what was just asked for is done. */
export type Counts = { active: number; ready: number; terminating: number }

/** With the default replacement policy a pod that is asked to end has failed at once: its node may never say so. */
export function hasFailed(job: Job, pod: JobPod): boolean {
  if (pod.status.phase === 'Failed') return true
  return !waitsForEnd(job) && isTerminating(pod)
}
