// Counts each ended pod of a Job exactly once, even if the controller stops in between (KEP-2307).
// First it writes the pods' uids and the verdict into the status. Then it removes the finalizers.
// Finally it turns the uids into counts and sets the end condition.
import { ApiError } from '../../api/errors.ts'
import { isTrue, type JobStatus } from '../../api/rules/job/job-spec.ts'
import { judgeFailedPod } from './failure-policy.ts'
import { type Counts, hasFailed, type JobContext, type JobSnapshot } from './job-context.ts'
import { asJob, condition, delaysEnd, type Job, type Verdict } from './job-object.ts'
import { isTracked, type JobPod } from './job-pod.ts'
import { release } from './pod-control.ts'

/** The maximum number of uids in the status at once. The next sync counts the rest. */
const uncountedMax = 500

/** The delay before a refused status is written again. */
const retryMs = 1_000

export type Outcome = {
  readonly verdict: Verdict | undefined
  readonly counts: Counts
  /** The status so far. */
  readonly status: JobStatus
}

export function track(context: JobContext, snapshot: JobSnapshot, { verdict, counts, status: before }: Outcome): void {
  const { job, pods } = snapshot
  const held = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid))
  const status = { ...counted(before, held), ...counts }
  const { succeeded, failed, toRelease, isFull } = uncount(snapshot, status, verdict)
  const { interim, end } = split(context, status, verdict)
  const conditions = [...(status.conditions ?? []), ...interim]
  const noted = write(context, job, { ...status, conditions, uncountedTerminatedPods: { succeeded, failed } })
  if (!noted) return
  for (const pod of toRelease) {
    release(context.registry, pod)
    held.delete(pod.metadata.uid)
  }
  const last = counted(noted.status, held)
  const isOver =
    end !== undefined && !isFull && !hasUncounted(last) && !(delaysEnd(context.profile) && counts.terminating > 0)
  if (!isOver) return void write(context, noted, last)
  const ended = condition(end, context.clock.now())
  const completionTime = end.type === 'Complete' ? { completionTime: ended.lastTransitionTime ?? '' } : {}
  const final = { ...last, conditions: [...(last.conditions ?? []), ended], ...completionTime }
  if (write(context, noted, final)) recordEnd(context, end)
}

/** Turns the uids of pods without the tracking finalizer into counts. */
function counted(status: JobStatus, held: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const isGone = (uid: string) => !held.has(uid)
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.filter(isGone).length,
    failed: (status.failed ?? 0) + failed.filter(isGone).length,
    uncountedTerminatedPods: {
      succeeded: succeeded.filter((uid) => held.has(uid)),
      failed: failed.filter((uid) => held.has(uid)),
    },
  }
}

type Uncounted = {
  readonly succeeded: string[]
  readonly failed: string[]
  readonly toRelease: readonly JobPod[]
  readonly isFull: boolean
}

/** Chooses the pods whose uids are written now, and the pods whose finalizer is removed after that. */
function uncount({ job, pods }: JobSnapshot, status: JobStatus, verdict: Verdict | undefined): Uncounted {
  const succeeded = [...(status.uncountedTerminatedPods?.succeeded ?? [])]
  const failed = [...(status.uncountedTerminatedPods?.failed ?? [])]
  const toRelease: JobPod[] = []
  const isLost = verdict !== undefined && verdict.type !== 'SuccessCriteriaMet'
  for (const pod of pods.filter(isTracked)) {
    const { uid } = pod.metadata
    const isSuccess = pod.status.phase === 'Succeeded'
    const isFailure = hasFailed(job, pod)
    if (!isSuccess && !isFailure && !verdict && job.metadata.deletionTimestamp === undefined) continue
    toRelease.push(pod)
    if (isSuccess && !failed.includes(uid)) {
      if (!succeeded.includes(uid)) succeeded.push(uid)
    } else if ((isFailure || isLost) && !failed.includes(uid) && judgeFailedPod(job, pod).counts) failed.push(uid)
    if (succeeded.length + failed.length >= uncountedMax) return { succeeded, failed, toRelease, isFull: true }
  }
  return { succeeded, failed, toRelease, isFull: false }
}

function hasUncounted({ uncountedTerminatedPods = {} }: JobStatus): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods
  return succeeded.length + failed.length > 0
}

/** Splits a verdict into the conditions to set before the finalizers are removed, and the condition to set afterwards. */
function split(
  { clock }: JobContext,
  status: JobStatus,
  verdict: Verdict | undefined,
): { readonly interim: NonNullable<JobStatus['conditions']>; readonly end: Verdict | undefined } {
  const ends: Readonly<Record<string, string>> = { FailureTarget: 'Failed', SuccessCriteriaMet: 'Complete' }
  const type = verdict && ends[verdict.type]
  if (!verdict || type === undefined) return { interim: [], end: verdict }
  const interim = isTrue(status, verdict.type) ? [] : [condition(verdict, clock.now())]
  return { interim, end: { ...verdict, type } }
}

/** Writes the status. Returns undefined if another client has written in between or the Job is gone; the Job is then synced again. */
function write({ registry, again }: JobContext, job: Job, status: JobStatus): Job | undefined {
  try {
    return asJob(registry.update('jobs.batch', { ...job, status }, { subresource: 'status' }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    again(retryMs)
    return undefined
  }
}

function recordEnd({ events }: JobContext, { type, reason = '', message = '' }: Verdict): void {
  if (type === 'Complete') events.record('Normal', 'Completed', 'Job completed')
  else events.record('Warning', reason, message)
}
