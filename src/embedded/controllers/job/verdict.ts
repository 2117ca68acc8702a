// Whether a Job is decided, and by what: in Kubernetes' order, for several may hold at once.
import { timestamp } from '../../../lib/timestamp.ts'
import { judgeFailedPod } from './failure-policy.ts'
import type { JobContext } from './job-context.ts'
import { delaysEnd, type Job, type Verdict } from './job-object.ts'
import type { JobPod } from './job-pod.ts'
import { hasFailed, type Standing } from './standing.ts'

/** A verdict stands once it is written, whatever the pods do afterwards. A Job that was to fail has failed. */
export function decidedBefore({ status }: Job): Verdict | undefined {
  const conditions = status.conditions ?? []
  const met = conditions.find(({ type, status: state }) => type === 'SuccessCriteriaMet' && state === 'True')
  if (met) return met
  const target = conditions.find(({ type, status: state }) => type === 'FailureTarget' && state === 'True')
  return target && { ...target, type: 'Failed' }
}

export function failureOf(
  context: JobContext,
  { job, pods, failed, now }: Standing,
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

/** A pod that restarts its containers itself never fails: their restarts count, sidecars' too. */
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
