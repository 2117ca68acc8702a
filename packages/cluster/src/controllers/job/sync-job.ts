// One sync of a Job: reads its pods, decides whether it has ended, creates or deletes pods, and writes its status (Kubernetes: job_controller.go, syncJob).
import { timestamp } from '@dayfly/kit/timestamp'
import { isTrue, type JobCondition, type JobStatus } from '../../api/rules/job/job-spec.ts'
import { deletePod, isActive, isReady, leastUsefulFirst, podsMax } from '../pods.ts'
import { type Backoff, nextBackoff, noBackoff, remainingMs } from './backoff.ts'
import { judgeFailedPod } from './failure-policy.ts'
import { type Counts, hasFailed, type JobContext, type JobSnapshot } from './job-context.ts'
import { condition, delaysEnd, type Job, type Verdict, waitsForEnd } from './job-object.ts'
import { isTerminating, isTracked, type JobPod, podsOf } from './job-pod.ts'
import { createPods, release } from './pod-control.ts'
import { track } from './tracking.ts'
import { decidedBefore, failureOf } from './verdict.ts'

/** Syncs one Job. Returns its next back-off. */
export function syncJob(context: JobContext, job: Job): Backoff {
  const { clock } = context
  const now = clock.now()
  const pods = podsOf(context.registry, job)
  const {
    succeeded: doneBefore = 0,
    failed: lostBefore = 0,
    uncountedTerminatedPods: uncounted = {},
  } = countedBefore(context, job)
  const counted = new Set([...(uncounted.succeeded ?? []), ...(uncounted.failed ?? [])])
  const countsPresent = context.tracking === 'presence'
  const fresh = pods.filter((pod) => countsPresent || (isTracked(pod) && !counted.has(pod.metadata.uid)))
  const newSucceeded = fresh.filter(({ status }) => status.phase === 'Succeeded')
  const newFailed = fresh.filter((pod) => hasFailed(job, pod))
  const counting = newFailed.filter((pod) => judgeFailedPod(job, pod).counts)
  const snapshot: JobSnapshot = {
    job,
    pods,
    now,
    succeeded: doneBefore + newSucceeded.length + (uncounted.succeeded ?? []).length,
    failed: lostBefore + counting.length + (uncounted.failed ?? []).length,
  }
  const active = pods.filter(isActive)
  const counts: Counts = {
    active: active.length,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
  }
  const backoff = nextBackoff(countsPresent ? noBackoff : context.backoff, newSucceeded, newFailed)
  const startTime = job.status.startTime ?? (job.spec.suspend === true ? undefined : timestamp(now))
  const present = countsPresent ? { succeeded: snapshot.succeeded, failed: snapshot.failed } : {}
  const begun: JobStatus = { ...job.status, ...present, ...(startTime === undefined ? {} : { startTime }) }
  let verdict = decidedBefore(job) ?? failureOf(context, snapshot, startTime)
  let status = begun
  if (verdict) {
    for (const pod of active) deletePod(context, pod)
    countAsTerminating(counts, active)
  } else if (job.metadata.deletionTimestamp === undefined) {
    manage(context, snapshot, { active, counts, backoff })
    verdict = successOf(context, snapshot, counts)
    if (!verdict) status = suspension(context, job, begun)
  } else verdict = successOf(context, snapshot, counts)
  track(context, snapshot, { verdict, counts, status })
  return backoff
}

/** Without tracking, the status is no memory: only the pods that exist count. */
function countedBefore({ tracking }: JobContext, { status }: Job): JobStatus {
  return tracking === 'presence' ? {} : status
}

/** Counts these pods, whose deletion was just requested, as terminating. */
function countAsTerminating(counts: Counts, pods: readonly JobPod[]): void {
  counts.active -= pods.length
  counts.terminating += pods.length
  counts.ready -= pods.filter(isReady).length
}

type Managing = { readonly active: readonly JobPod[]; readonly counts: Counts; readonly backoff: Backoff }

/** Creates missing pods or deletes surplus pods, never both in one sync. */
function manage(context: JobContext, snapshot: JobSnapshot, { active, counts, backoff }: Managing): void {
  const { job, now } = snapshot
  const surplus = job.spec.suspend === true ? active : surplusOf(active, wantedPods(snapshot, active.length))
  if (surplus.length > 0) {
    for (const pod of surplus) {
      // The deletion is no failure of the pod, so it must not be counted.
      release(context.registry, pod)
      deletePod(context, pod)
    }
    countAsTerminating(counts, surplus)
    return
  }
  if (job.spec.suspend === true) return
  const blocking = waitsForEnd(job) ? counts.terminating : 0
  const missing = wantedPods(snapshot, active.length) - active.length - blocking
  if (missing <= 0) return
  const waitMs = remainingMs(backoff, now)
  if (waitMs > 0) context.again(waitMs)
  else counts.active += createPods(context, job, missing)
}

function surplusOf(active: readonly JobPod[], wanted: number): readonly JobPod[] {
  return leastUsefulFirst(active).slice(0, Math.min(Math.max(0, active.length - wanted), podsMax))
}

function wantedPods({ job, succeeded }: JobSnapshot, active: number): number {
  const { completions, parallelism } = job.spec
  // Without `completions` the first success is enough: running pods may finish, and no pod is added.
  if (completions === undefined) return succeeded > 0 ? active : parallelism
  return Math.max(0, Math.min(parallelism, completions - succeeded))
}

function successOf({ profile }: JobContext, { job, succeeded }: JobSnapshot, { active }: Counts): Verdict | undefined {
  const { completions } = job.spec
  const isDone = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions)
  if (!isDone) return undefined
  if (!delaysEnd(profile)) return { type: 'Complete' }
  const message = 'Reached expected number of succeeded pods'
  return { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message }
}

/** Reports that the Job is suspended or resumed. `startTime` starts again when it is resumed. */
function suspension({ profile, clock, events }: JobContext, { spec, metadata }: Job, status: JobStatus): JobStatus {
  const isSuspended = isTrue(status, 'Suspended')
  const wanted = spec.suspend === true
  if (isSuspended === wanted) return status
  const [reason, message] = wanted ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed']
  events.record('Normal', wanted ? 'Suspended' : 'Resumed', message)
  const suspended = condition({ type: 'Suspended', reason, message }, clock.now(), wanted ? 'True' : 'False')
  const { startTime: _, ...rest } = status
  const conditions = replaced(status.conditions ?? [], suspended)
  if (!wanted) return { ...rest, conditions, startTime: timestamp(clock.now()) }
  // The feature gate MutableSchedulingDirectivesForSuspendedJobs is on since Kubernetes 1.36.
  const keepsStart = Number(profile.split('.')[1]) < 36 && metadata.deletionTimestamp === undefined
  return keepsStart ? { ...status, conditions } : { ...rest, conditions }
}

function replaced(conditions: readonly JobCondition[], next: JobCondition): JobCondition[] {
  const isKnown = conditions.some(({ type }) => type === next.type)
  return isKnown ? conditions.map((one) => (one.type === next.type ? next : one)) : [...conditions, next]
}
