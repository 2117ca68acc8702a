// The status of a job: every change passes here, so that lists, lines, listeners and webhooks agree.
import type { Instant } from '@dayfly/kit/clock'
import { type Emulation, reportJob, stamp } from './emulation.ts'
import { addTo, groupOf, removeFrom } from './job-index.ts'
import { placesAbove } from './places.ts'
import type { Job, JobPlan, JobStatus, Run, State } from './state.ts'
import { enterLine, leaveLine } from './waiting.ts'
import { notifyHooks } from './webhooks.ts'

export function createJob(emulation: Emulation, run: Run, plan: JobPlan, status: 'waiting' | 'blocked'): Job {
  const { state } = emulation
  const now = stamp(emulation)
  const job: Job = {
    id: ++state.ids.job,
    run,
    plan,
    status,
    attempt: 0,
    task: undefined,
    tasks: [],
    createdAt: now,
    startedAt: 0,
    stoppedAt: 0,
    updatedAt: now,
  }
  state.jobs.set(job.id, job)
  run.jobs.push(job)
  enter(emulation, job)
  return job
}

/** Changes the status of a job, and its times if they are given. */
export function moveJob(
  emulation: Emulation,
  job: Job,
  status: JobStatus,
  times: { readonly startedAt?: Instant; readonly stoppedAt?: Instant } = {},
): void {
  leave(emulation.state, job)
  job.status = status
  job.updatedAt = stamp(emulation)
  Object.assign(job, times)
  enter(emulation, job)
}

function enter(emulation: Emulation, job: Job): void {
  const { state, unsettled } = emulation
  for (const place of placesAbove(state, job.run.repository)) addTo(place.jobs, job)
  if (job.status === 'waiting') {
    enterLine(job)
    unsettled.jobs.add(job)
    reportJob(emulation, 'queued', job)
  } else if (job.status === 'running') {
    reportJob(emulation, 'started', job)
  } else if (groupOf(job.status) === 'done') {
    reportJob(emulation, 'finished', job)
  }
  notifyHooks(emulation, job)
}

function leave(state: State, job: Job): void {
  for (const place of placesAbove(state, job.run.repository)) removeFrom(place.jobs, job)
  if (job.status === 'waiting') leaveLine(job)
}

/** Removes every trace of the job. */
export function forgetJob({ state, unsettled }: Emulation, job: Job): void {
  leave(state, job)
  state.jobs.delete(job.id)
  unsettled.jobs.delete(job)
}
