// A Job as its controller reads it, and the profile's share in how it is judged.

import { timestamp } from '../../../lib/timestamp.ts'
import type { Profile } from '../../api/api.ts'
import { isTrue, type JobCondition, type JobSpec, type JobStatus } from '../../api/rules/job/job-spec.ts'
import type { StoredObject } from '../../store/object.ts'

/** Defaults are filled in, so these are always there. */
export type Job = StoredObject & {
  readonly spec: JobSpec & { readonly parallelism: number; readonly backoffLimit: number }
  readonly status: JobStatus
}

/** Kubernetes 1.31 (PR 125510): `Complete` and `Failed` wait until every pod is over; what they will be is said before. */
export function delaysEnd(profile: Profile): boolean {
  return Number(profile.split('.')[1]) >= 31
}

export function asJob(object: StoredObject): Job {
  return object as Job
}

export function isFinished({ status }: Job): boolean {
  return isTrue(status, 'Complete') || isTrue(status, 'Failed')
}

/** Another controller counts its pods (Kubernetes: JobManagedBy, on from 1.32). */
export function isManagedElsewhere({ spec }: Job, profile: Profile): boolean {
  const { managedBy = 'kubernetes.io/job-controller' } = spec
  return Number(profile.split('.')[1]) >= 32 && managedBy !== 'kubernetes.io/job-controller'
}

/** Only pods that have really ended are replaced; else those that were merely asked to, too. */
export function waitsForEnd({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined
}

export type Verdict = { readonly type: string; readonly reason?: string; readonly message?: string }

export function condition(
  { type, reason, message }: Verdict,
  now: number,
  status: 'True' | 'False' = 'True',
): JobCondition {
  const at = timestamp(now)
  const told = { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }
  return { type, status, lastProbeTime: at, lastTransitionTime: at, ...told }
}
