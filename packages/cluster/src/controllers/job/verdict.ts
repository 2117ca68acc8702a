// Decides whether a Job has failed, and by which reason. Several reasons may apply at once: they are checked in Kubernetes' order.
import { timestamp } from '@dayfly/kit/timestamp'
import { judgeFailedPod } from './failure-policy.ts'
import { hasFailed, type JobContext, type JobSnapshot } from './job-context.ts'
import { delaysEnd, type Job, type Verdict } from './job-object.ts'
import type { JobPod } from './job-pod.ts'

/** The verdict in the Job's status. It is final: what the pods do afterwards does not change it. */
export function decidedBefore({ status }: Job): Verdict | undefined {
  const conditions = status.conditions ?? []
  const met = conditions.find(({ type, status: state }) => type === 'SuccessCriteriaMet' && state === 'True')
  if (met) return met
  const target = conditions.find(({ type, status: state }) => type === 'FailureTarget' && state === 'True')
  return target && { ...target, type: 'Failed' }
}

export function failureOf(
  context: JobContext,
  { job, pods, failed, now }: JobSnapshot,
  startTime: string | undefined,
): Verdict | undefined {
  for (const pod of pods) {
    const message = hasFailed(job, pod) ? judgeFailedPod(job, pod).failsJob : undefined
    if (message !== undefined) return { type: 'FailureTarget', reason: 'PodFailurePolicy', message }
  }
  const type = delaysEnd(context.profile) ? 'FailureTarget' : 'Failed'
  const { backoffLimit, activeDeadlineSeconds, suspend } = job.spec
  if (failed > backoffLimit || restartsTooOften(job, pods)) {
    return { type, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
  }
  if (activeDeadlineSeconds === undefined || suspend === true) return undefined
  const leftMs = Date.parse(startTime ?? timestamp(now)) + activeDeadlineSeconds * 1000 - now
  if (leftMs <= 0) return { type, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
  context.again(leftMs)
  return undefined
}

/** A pod with `restartPolicy: OnFailure` never fails. The restarts of its containers count instead, sidecars included. */
function restartsTooOften({ spec }: Job, pods: readonly JobPod[]): boolean {
  if (spec.template?.spec?.restartPolicy !== 'OnFailure') return false
  let restarts = 0
  for (const { status } of pods) {
    if (status.phase !== 'Running' && status.phase !== 'Pending') continue
    for (const { restartCount = 0 } of status.initContainerStatuses ?? []) restarts += restartCount
    for (const { restartCount = 0 } of status.containerStatuses ?? []) restarts += restartCount
  }
  return spec.backoffLimit === 0 ? restarts > 0 : restarts >= spec.backoffLimit
}
