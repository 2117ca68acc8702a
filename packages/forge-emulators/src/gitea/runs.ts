// The life of a run: its jobs are queued, wait for needs or for a concurrency group, are cancelled, and run again.
import type { Instant } from '@dayfly/kit/clock'
import { dialects } from './dialect.ts'
import { type Emulation, stamp } from './emulation.ts'
import { groupOf } from './job-index.ts'
import { createJob, forgetJob, moveJob } from './jobs.ts'
import { raiseJobVersion } from './runners.ts'
import type { Concurrency, Job, JobPlan, JobStatus, Repository, Result, Run, Task } from './state.ts'
import { cancelTask, endTask } from './tasks.ts'

/** Jobs that have ended stay known up to this number. */
const doneMax = 10_000

export type RunPlan = {
  readonly repository: Repository
  readonly workflow: string
  readonly event: string
  readonly branch: string
  readonly commit: string
  readonly folder: string | undefined
  readonly concurrency: Concurrency | undefined
  readonly jobs: readonly JobPlan[]
}

/** Creates a run with its jobs. Jobs with needs are blocked, as are all jobs if the concurrency group is in use. */
export function createRun(emulation: Emulation, { jobs, ...plan }: RunPlan): Run {
  const { state } = emulation
  const { repository } = plan
  const run: Run = { id: ++state.ids.run, index: ++repository.runs, ...plan, jobs: [] }
  const isBlocked = enterGroup(emulation, run)
  state.runs.set(run.id, run)
  for (const job of jobs) createJob(emulation, run, job, isBlocked || job.needs.length > 0 ? 'blocked' : 'waiting')
  if (run.jobs.some(({ status }) => status === 'waiting')) raiseJobVersion(emulation, repository)
  return run
}

/** Enters the concurrency group, and cancels the runs that wait there. Returns whether the run must wait for a running one. */
function enterGroup(emulation: Emulation, run: Run): boolean {
  const { concurrency, repository } = run
  if (!concurrency) return false
  const { group, cancelInProgress } = concurrency
  const members = repository.groups.get(group) ?? new Set()
  const others = [...members].filter((other) => other !== run)
  const isBlocked = !cancelInProgress && others.some((other) => statusOf(emulation, other.jobs) === 'running')
  for (const other of others) {
    const status = statusOf(emulation, other.jobs)
    if (status !== 'running' || cancelInProgress) cancelJobs(emulation, other)
  }
  repository.groups.set(group, members.add(run))
  return isBlocked
}

/** Ends a task with the result that its runner reports, or that the server decides. */
export function finishTask(emulation: Emulation, task: Task, result: Result, stoppedAt: Instant): void {
  endTask(emulation, task, result, stoppedAt)
  emitJobs(emulation, task.job.run)
}

/** Cancels a job that no runner has taken. */
export function abandonJob(emulation: Emulation, job: Job): void {
  moveJob(emulation, job, 'cancelled', { stoppedAt: stamp(emulation) })
  emitJobs(emulation, job.run)
}

/** Cancels all jobs of the run, as the button of the web page does. Returns false if all have ended. */
export function cancelRun(emulation: Emulation, run: Run): boolean {
  if (hasEnded(run)) return false
  cancelJobs(emulation, run)
  emitJobs(emulation, run)
  return true
}

function cancelJobs(emulation: Emulation, run: Run): void {
  const now = stamp(emulation)
  for (const job of run.jobs) {
    if (groupOf(job.status) === 'done') continue
    if (job.task) cancelTask(emulation, job.task)
    else moveJob(emulation, job, 'cancelled', { stoppedAt: now })
  }
  endRun(emulation, run)
}

/** Releases the jobs that wait for a job that has just ended, in its run and in its concurrency group. */
function emitJobs(emulation: Emulation, run: Run): void {
  resolveJobs(emulation, run)
  const members = run.concurrency && run.repository.groups.get(run.concurrency.group)
  const blocked = [...(members ?? [])].find((member) => statusOf(emulation, member.jobs) === 'blocked')
  if (blocked) resolveJobs(emulation, blocked)
  endRun(emulation, run)
}

/** Releases or skips the blocked jobs of the run whose needs have ended. A skipped job may release others. */
function resolveJobs(emulation: Emulation, run: Run): void {
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const job of run.jobs) {
      if (job.status !== 'blocked') continue
      const needs = run.jobs.filter(({ plan }) => job.plan.needs.includes(plan.key))
      if (needs.some(({ status }) => groupOf(status) !== 'done')) continue
      const isStarted = job.plan.hasCondition || needs.every(({ status }) => status === 'success')
      if (isStarted) raiseJobVersion(emulation, run.repository)
      moveJob(emulation, job, isStarted ? 'waiting' : 'skipped')
      isChanged = true
    }
  }
}

/** Queues the jobs again, and the jobs that need them. Returns false while the run goes on. A run with a cancelled job counts as ended. */
export function rerunJobs(emulation: Emulation, run: Run, jobs: readonly Job[]): boolean {
  if (groupOf(statusOf(emulation, run.jobs)) !== 'done') return false
  const isBlocked = enterGroup(emulation, run)
  const again = withDependents(run, jobs)
  const keys = new Set([...again].map(({ plan }) => plan.key))
  for (const job of again) {
    if (groupOf(job.status) !== 'done') continue
    job.task = undefined
    const waits = isBlocked || job.plan.needs.some((need) => keys.has(need))
    if (!waits) raiseJobVersion(emulation, run.repository)
    moveJob(emulation, job, waits ? 'blocked' : 'waiting', { startedAt: 0, stoppedAt: 0 })
  }
  return true
}

/** Adds the jobs that need the given ones. The server adds only the first job of a matrix that needs them. */
function withDependents(run: Run, jobs: readonly Job[]): ReadonlySet<Job> {
  const again = new Set(jobs)
  const keys = new Set(jobs.map(({ plan }) => plan.key))
  for (let size = 0; size !== again.size; ) {
    size = again.size
    for (const job of run.jobs) {
      if (keys.has(job.plan.key) || !job.plan.needs.some((need) => keys.has(need))) continue
      again.add(job)
      keys.add(job.plan.key)
    }
  }
  return again
}

export function hasEnded({ jobs }: Run): boolean {
  return jobs.every(({ status }) => groupOf(status) === 'done')
}

/** Leaves the concurrency group of a run that has ended, and forgets the oldest such runs. */
function endRun(emulation: Emulation, run: Run): void {
  if (!hasEnded(run)) return
  const { repository, concurrency } = run
  const members = concurrency && repository.groups.get(concurrency.group)
  members?.delete(run)
  if (concurrency && members?.size === 0) repository.groups.delete(concurrency.group)
  const { done } = emulation.state.site.jobs
  if (done.length < 1.1 * doneMax) return
  for (const old of emulation.state.runs.values()) {
    if (done.length <= doneMax) break
    if (hasEnded(old)) forgetRun(emulation, old)
  }
}

export function forgetRun(emulation: Emulation, run: Run): void {
  const { state } = emulation
  state.runs.delete(run.id)
  for (const job of run.jobs) {
    for (const { id } of job.tasks) state.tasks.delete(id)
    forgetJob(emulation, job)
  }
}

/** Returns the status of a run with these jobs. */
export function statusOf({ knobs }: Emulation, jobs: readonly Job[]): JobStatus {
  const all = (...statuses: readonly JobStatus[]) => jobs.every(({ status }) => statuses.includes(status))
  if (all('skipped')) return 'skipped'
  if (all('success', 'skipped')) return 'success'
  const { runStatus } = dialects[knobs.dialect]
  return runStatus.find((status) => jobs.some((job) => job.status === status)) ?? 'blocked'
}
