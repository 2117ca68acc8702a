// One look at a Job: how its pods stand, whether it is decided, what is to be made or removed, and what its status then says
// (Kubernetes: job_controller.go, syncJob).

import { timestamp } from '../../../lib/timestamp.ts'
import { isTrue, type JobCondition, type JobStatus } from '../../api/rules/job/job-spec.ts'
import { type Backoff, nextBackoff, remainingMs } from './backoff.ts'
import { judgeFailedPod } from './failure-policy.ts'
import type { JobContext } from './job-context.ts'
import { condition, delaysEnd, type Job, type Verdict, waitsForEnd } from './job-object.ts'
import { isActive, isReady, isTerminating, isTracked, type JobPod, podsOf } from './job-pod.ts'
import { createPods, deletePod, firstToGo, release } from './pod-control.ts'
import { type Counts, hasFailed, type Standing } from './standing.ts'
import { track } from './tracking.ts'
import { decidedBefore, failureOf } from './verdict.ts'

/** Returns the back-off to go on with. */
export function syncJob(context: JobContext, job: Job): Backoff {
  const { clock } = context
  const now = clock.now()
  const pods = podsOf(context.registry, job)
  const { uncountedTerminatedPods: uncounted = {} } = job.status
  const counted = new Set([...(uncounted.succeeded ?? []), ...(uncounted.failed ?? [])])
  const fresh = pods.filter((pod) => isTracked(pod) && !counted.has(pod.metadata.uid))
  const newSucceeded = fresh.filter(({ status }) => status.phase === 'Succeeded')
  const newFailed = fresh.filter((pod) => hasFailed(job, pod))
  const counting = newFailed.filter((pod) => judgeFailedPod(job, pod).counts)
  const standing: Standing = {
    job,
    pods,
    now,
    succeeded: (job.status.succeeded ?? 0) + newSucceeded.length + (uncounted.succeeded ?? []).length,
    failed: (job.status.failed ?? 0) + counting.length + (uncounted.failed ?? []).length,
  }
  const active = pods.filter(isActive)
  const counts: Counts = {
    active: active.length,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
  }
  const backoff = nextBackoff(context.backoff, newSucceeded, newFailed)
  const startTime = job.status.startTime ?? (job.spec.suspend === true ? undefined : timestamp(now))
  const begun: JobStatus = { ...job.status, ...(startTime === undefined ? {} : { startTime }) }
  let verdict = decidedBefore(job) ?? failureOf(context, standing, startTime)
  let status = begun
  if (verdict) {
    for (const pod of active) deletePod(context, pod)
    account(counts, active)
  } else if (job.metadata.deletionTimestamp === undefined) {
    manage(context, standing, { active, counts, backoff })
    verdict = successOf(context, standing, counts)
    if (!verdict) status = suspension(context, job, begun)
  } else verdict = successOf(context, standing, counts)
  track(context, standing, { verdict, counts, status })
  return backoff
}

/** These pods were asked to end. */
function account(counts: Counts, pods: readonly JobPod[]): void {
  counts.active -= pods.length
  counts.terminating += pods.length
  counts.ready -= pods.filter(isReady).length
}

type Managing = { readonly active: readonly JobPod[]; readonly counts: Counts; readonly backoff: Backoff }

/** Makes what is missing or removes what is too much, never both at once. */
function manage(context: JobContext, standing: Standing, { active, counts, backoff }: Managing): void {
  const { job, now } = standing
  const surplus =
    job.spec.suspend === true ? active : firstToGo(active, active.length - wantedPods(standing, active.length))
  if (surplus.length > 0) {
    for (const pod of surplus) {
      // Not a failure: nobody is to count it.
      release(context.registry, pod)
      deletePod(context, pod)
    }
    account(counts, surplus)
    return
  }
  if (job.spec.suspend === true) return
  const blocking = waitsForEnd(job) ? counts.terminating : 0
  const missing = wantedPods(standing, active.length) - active.length - blocking
  if (missing <= 0) return
  const waitMs = remainingMs(backoff, now)
  if (waitMs > 0) context.again(waitMs)
  else counts.active += createPods(context, job, missing)
}

function wantedPods({ job, succeeded }: Standing, active: number): number {
  const { completions, parallelism } = job.spec
  // Without a number, the first success is enough: who runs may finish, nobody is added.
  if (completions === undefined) return succeeded > 0 ? active : parallelism
  return Math.max(0, Math.min(parallelism, completions - succeeded))
}

function successOf({ profile }: JobContext, { job, succeeded }: Standing, { active }: Counts): Verdict | undefined {
  const { completions } = job.spec
  const isDone = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions)
  if (!isDone) return undefined
  if (!delaysEnd(profile)) return { type: 'Complete' }
  const message = 'Reached expected number of succeeded pods'
  return { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message }
}

/** Says that the Job is suspended or goes on again; its time counts anew from there. */
function suspension({ profile, clock, events }: JobContext, { spec, metadata }: Job, status: JobStatus): JobStatus {
  const isSuspended = isTrue(status, 'Suspended')
  const wanted = spec.suspend === true
  if (isSuspended === wanted) return status
  const [reason, message] = wanted ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed']
  events.record('Normal', wanted ? 'Suspended' : 'Resumed', message)
  const told = condition({ type: 'Suspended', reason, message }, clock.now(), wanted ? 'True' : 'False')
  const { startTime: _, ...rest } = status
  const conditions = replaced(status.conditions ?? [], told)
  if (!wanted) return { ...rest, conditions, startTime: timestamp(clock.now()) }
  // Kubernetes: MutableSchedulingDirectivesForSuspendedJobs, on from 1.36.
  const keepsStart = Number(profile.split('.')[1]) < 36 && metadata.deletionTimestamp === undefined
  return keepsStart ? { ...status, conditions } : { ...rest, conditions }
}

function replaced(conditions: readonly JobCondition[], next: JobCondition): JobCondition[] {
  const isKnown = conditions.some(({ type }) => type === next.type)
  return isKnown ? conditions.map((one) => (one.type === next.type ? next : one)) : [...conditions, next]
}
