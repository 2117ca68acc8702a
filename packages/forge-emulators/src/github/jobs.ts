// The lifecycle of a job at the forge: queued, (offered, acquired,) assigned to a scale set, running on a runner, completed.
// A lapsed attempt is queued again (docs/reference/scale-set-protocol.md#s9-5, docs/reference/scale-set-protocol.md#s19-3).
// Callers of these functions must call `settle` afterwards; deadlines do it themselves.
import { uuid } from '@dayfly/kit/ids'
import type { Conclusion, JobReport } from '../job.ts'
import { emptyLog } from '../server/kept-log.ts'
import { limits } from './config.ts'
import { type Emulation, reportJob } from './emulation.ts'
import { announce } from './messages.ts'
import { dropRunner, freeRunner } from './runners.ts'
import { type Job, type JobSpec, place, type Runner, type ScaleSet } from './state.ts'

/** Queues one job. @param again the job that it runs again, and the attempt of the run */
export function queueJob(
  emulation: Emulation,
  spec: JobSpec,
  again?: { readonly job: Job; readonly runAttempt: number },
): Job {
  const { state, clock, random } = emulation
  const id = uuid(random)
  const now = clock.now()
  const job: Job = {
    id,
    runId: again?.job.runId ?? spec.runId ?? ++state.ids.run,
    spec,
    number: ++state.ids.job,
    runAttempt: again?.runAttempt ?? 1,
    repeats: again?.job.id,
    isLost: false,
    jobId: id,
    jobIds: [id],
    attempt: 1,
    requestId: ++state.ids.request,
    state: 'queued',
    excluded: false,
    place: undefined,
    set: undefined,
    runner: undefined,
    times: {
      queuedAt: now,
      assignedAt: undefined,
      startedAt: undefined,
      firstStepAt: undefined,
      finishedAt: undefined,
    },
    runs: 0,
    stepsStarted: new Map(),
    log: emptyLog(),
    cancelRequested: false,
    result: undefined,
    report: undefined,
  }
  state.jobs.set(id, job)
  const ofRun = state.runs.get(job.runId) ?? new Set()
  state.runs.set(job.runId, ofRun.add(job))
  enqueue(emulation, job)
  reportJob(emulation, 'queued', job)
  return job
}

/** Whether the set accepts the job: it has all labels of the job and the right scope. */
export function takes(set: ScaleSet, job: Job): boolean {
  const { scope, labels } = job.spec
  if (scope !== undefined && scope !== set.scope.id) return false
  return labels.every((label) => set.labels.some(({ name }) => isSameLabel(name, label)))
}

function isSameLabel(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase()
}

/** Offers a job to a set (legacy mode), and repeats the offer until the job is acquired. */
export function offerJob(emulation: Emulation, job: Job, set: ScaleSet): void {
  job.state = 'available'
  job.set = set
  place(job, set.offered)
  const offer = () => {
    const pending = set.pending.some((message) => message['jobId'] === job.jobId)
    if (!pending) announce(emulation, 'JobAvailable', job)
    emulation.deadlines.set(`offer:${job.id}`, limits.offerRepeatMs, offer)
  }
  offer()
}

/** Assigns a job to a set. The attempt lapses if no runner starts it in time. */
export function assignJob(emulation: Emulation, job: Job, set: ScaleSet): void {
  const { clock, deadlines, knobs } = emulation
  deadlines.clear(`offer:${job.id}`)
  job.state = 'assigned'
  job.set = set
  job.times.assignedAt = clock.now()
  place(job, set.waiting)
  announce(emulation, 'JobAssigned', job)
  reportJob(emulation, 'assigned', job)
  deadlines.set(`lapse:${job.id}`, knobs.assignmentLeaseS * 1000 * job.attempt, () => lapseJob(emulation, job))
}

/** Marks the job as running on the runner. */
export function startJob(emulation: Emulation, job: Job, runner: Runner): void {
  const { set } = job
  if (!set) return
  emulation.deadlines.clear(`lapse:${job.id}`)
  job.state = 'running'
  job.runner = runner
  job.runs++
  job.times.startedAt = emulation.clock.now()
  place(job, set.running)
  renewLease(emulation, job)
  announce(emulation, 'JobStarted', job)
  reportJob(emulation, 'started', job)
}

/** Renews the lease of a running job. Returns the end of the lease in milliseconds since the epoch. */
export function renewLease(emulation: Emulation, job: Job): number {
  const leaseMs = emulation.knobs.jobLeaseS * 1000
  emulation.deadlines.set(`lease:${job.id}`, leaseMs, () => {
    job.isLost = true
    completeJob(emulation, job, failed('the runner lost communication with the forge'))
  })
  return emulation.clock.now() + leaseMs
}

/** Ends a job in any state. Its runner loses the registration. */
export function completeJob(emulation: Emulation, job: Job, report: JobReport): void {
  const { deadlines, state, clock } = emulation
  if (job.state === 'completed') return
  for (const name of ['offer', 'lapse', 'lease', 'cancel']) deadlines.clear(`${name}:${job.id}`)
  const announced = job.state === 'assigned' || job.state === 'running'
  job.state = 'completed'
  job.report = report
  job.result = results[report.conclusion]
  job.times.finishedAt = clock.now()
  place(job, state.finished)
  if (announced) announce(emulation, 'JobCompleted', job)
  reportJob(emulation, 'finished', job)
  if (job.runner) dropRunner(emulation, job.runner)
  forgetOldest(emulation)
}

/** Cancels a job. The runner of a running job is notified and gets `cancelS` to end it. */
export function cancelJob(emulation: Emulation, job: Job): void {
  if (job.state !== 'running') {
    withdraw(job)
    completeJob(emulation, job, cancelled('cancelled before a runner took it'))
    return
  }
  job.cancelRequested = true
  job.runner?.wake?.()
  emulation.deadlines.set(`cancel:${job.id}`, emulation.knobs.cancelS * 1000, () => {
    completeJob(emulation, job, cancelled('cancelled; the runner did not end in time'))
  })
}

/** Returns a job whose scale set is gone to the forge's queue. */
export function returnToQueue(emulation: Emulation, job: Job): void {
  for (const name of ['offer', 'lapse']) emulation.deadlines.clear(`${name}:${job.id}`)
  withdraw(job)
  job.set = undefined
  enqueue(emulation, job)
}

function enqueue(emulation: Emulation, job: Job): void {
  const { state, knobs } = emulation
  job.state = 'queued'
  place(job, state.queue)
  if (knobs.zeroCapacity === 'defer') return
  const announced = [...state.sets.values()].filter((set) => takes(set, job)).map((set) => set.session?.capacity)
  job.excluded = announced.length > 0 && announced.every((capacity) => capacity === 0)
}

/** Ends an attempt that no runner started in time. The job is queued again under a new id, up to `maxAttempts` attempts. */
function lapseJob(emulation: Emulation, job: Job): void {
  withdraw(job)
  if (job.attempt >= emulation.knobs.maxAttempts) {
    completeJob(emulation, job, cancelled('no runner took the job in time'))
  } else {
    job.result = results.cancelled
    announce(emulation, 'JobCompleted', job)
    job.result = undefined
    job.attempt++
    job.jobId = uuid(emulation.random)
    job.jobIds.push(job.jobId)
    job.requestId = ++emulation.state.ids.request
    job.set = undefined
    job.times.assignedAt = undefined
    emulation.state.jobs.set(job.jobId, job)
    enqueue(emulation, job)
  }
}

/** Takes a job that is not running away from its runner. */
function withdraw(job: Job): void {
  const { runner } = job
  job.runner = undefined
  if (runner) freeRunner(runner)
}

function forgetOldest(emulation: Emulation): void {
  const { finished, jobs, runs } = emulation.state
  const [oldest] = finished
  if (!oldest || finished.size <= limits.finishedJobs) return
  finished.delete(oldest)
  for (const jobId of oldest.jobIds) jobs.delete(jobId)
  const ofRun = runs.get(oldest.runId)
  ofRun?.delete(oldest)
  if (ofRun?.size === 0) runs.delete(oldest.runId)
}

function failed(note: string): JobReport {
  return { conclusion: 'failure', outputs: {}, steps: [], note }
}

function cancelled(note: string): JobReport {
  return { conclusion: 'cancelled', outputs: {}, steps: [], note }
}

const results: Readonly<Record<Conclusion, string>> = {
  success: 'succeeded',
  failure: 'failed',
  cancelled: 'canceled',
  skipped: 'skipped',
}
