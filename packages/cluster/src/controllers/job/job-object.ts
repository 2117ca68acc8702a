// A Job as its controller reads it, and how the Kubernetes version changes the way it is judged.
import { timestamp } from '@dayfly/kit/timestamp'
import type { Profile } from '../../api/api.ts'
import { isTrue, type JobCondition, type JobSpec, type JobStatus } from '../../api/rules/job/job-spec.ts'
import type { StoredObject } from '../../store/object.ts'

/** A stored Job. Its defaults are filled in, so these members always exist. */
export type Job = StoredObject & {
  readonly spec: JobSpec & { readonly parallelism: number; readonly backoffLimit: number }
  readonly status: JobStatus
}

/** Kubernetes 1.31 and later (PR 125510) set `Complete` and `Failed` only when every pod has ended. An interim condition announces them. */
export function delaysEnd(profile: Profile): boolean {
  return Number(profile.split('.')[1]) >= 31
}

export function asJob(object: StoredObject): Job {
  return object as Job
}

export function isFinished({ status }: Job): boolean {
  return isTrue(status, 'Complete') || isTrue(status, 'Failed')
}

/** Whether another controller manages the Job (feature gate JobManagedBy, on since Kubernetes 1.32). */
export function isManagedElsewhere({ spec }: Job, profile: Profile): boolean {
  const { managedBy = 'kubernetes.io/job-controller' } = spec
  return Number(profile.split('.')[1]) >= 32 && managedBy !== 'kubernetes.io/job-controller'
}

/** Whether a pod is replaced only when it has ended. Otherwise a terminating pod is replaced as well. */
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
  const given = { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }
  return { type, status, lastProbeTime: at, lastTransitionTime: at, ...given }
}
