// Counts a Job's ended pods once, whoever stops in between (KEP-2307): their uids and the verdict go into the status, then the
// finalizers go, then the uids become counts and the verdict an end.
import { ApiError } from '../../api/errors.ts'
import { isTrue, type JobStatus } from '../../api/rules/job/job-spec.ts'
import { judgeFailedPod } from './failure-policy.ts'
import type { JobContext } from './job-context.ts'
import { asJob, condition, delaysEnd, type Job, type Verdict } from './job-object.ts'
import { isTracked, type JobPod } from './job-pod.ts'
import { release } from './pod-control.ts'
import { type Counts, hasFailed, type Standing } from './standing.ts'

/** The most uids in the status at once; the rest is counted by the next look. */
const uncountedMax = 500

/** How soon a status that was refused is written anew. */
const retryMs = 1_000

export type Outcome = {
  readonly verdict: Verdict | undefined
  readonly counts: Counts
  /** The status so far. */
  readonly status: JobStatus
}

export function track(context: JobContext, standing: Standing, { verdict, counts, status: before }: Outcome): void {
  const { job, pods } = standing
  const held = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid))
  const status = { ...counted(before, held), ...counts }
  const { succeeded, failed, toRelease, isFull } = uncount(standing, status, verdict)
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
    end !== undefined && !isFull && !isOpen(last) && !(delaysEnd(context.profile) && counts.terminating > 0)
  if (!isOver) return void write(context, noted, last)
  const told = condition(end, context.clock.now())
  const completionTime = end.type === 'Complete' ? { completionTime: told.lastTransitionTime ?? '' } : {}
  const final = { ...last, conditions: [...(last.conditions ?? []), told], ...completionTime }
  if (write(context, noted, final)) tell(context, end)
}

/** Those whose finalizer is gone are counted for good. */
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

/** Which pods are noted now, and which are let go after that. */
function uncount({ job, pods }: Standing, status: JobStatus, verdict: Verdict | undefined): Uncounted {
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

function isOpen({ uncountedTerminatedPods = {} }: JobStatus): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods
  return succeeded.length + failed.length > 0
}

/** What is said before the pods are let go, and what afterwards. */
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

/** Undefined when somebody else has written in between, or the Job is gone: it is looked at again then. */
function write({ registry, again }: JobContext, job: Job, status: JobStatus): Job | undefined {
  try {
    return asJob(registry.update('jobs.batch', { ...job, status }, { subresource: 'status' }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    again(retryMs)
    return undefined
  }
}

function tell({ events }: JobContext, { type, reason = '', message = '' }: Verdict): void {
  if (type === 'Complete') events.record('Normal', 'Completed', 'Job completed')
  else events.record('Warning', reason, message)
}
