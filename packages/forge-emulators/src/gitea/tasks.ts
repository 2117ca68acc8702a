// The life of a task: one attempt of a job on one runner. The end of a task deletes its ephemeral runner.
import type { Instant } from '@dayfly/kit/clock'
import { emptyLog } from '../server/kept-log.ts'
import { dialects } from './dialect.ts'
import { type Emulation, stamp } from './emulation.ts'
import { moveJob } from './jobs.ts'
import { deleteRunner, reportedAt } from './runners.ts'
import type { Job, Result, Runner, Task } from './state.ts'
import { oldestFor } from './waiting.ts'

/** Gives the runner its oldest matching job. Returns undefined if there is none, or if the runner may not get one. */
export function pickTask(emulation: Emulation, runner: Runner): Task | undefined {
  // An ephemeral runner gets one task. It never gets the same task again, even if the first response was lost.
  if (isRefused(emulation, runner) || (runner.ephemeral && runner.tasks > 0)) return undefined
  const job = oldestFor(emulation.state, runner)
  return job && startTask(emulation, job, runner)
}

/** A call that began before the runner was disabled may still get a task. */
function isRefused({ clock, knobs }: Emulation, { disabled, disabledAt }: Runner): boolean {
  return disabled && clock.now() >= disabledAt + knobs.fetchMs
}

function startTask(emulation: Emulation, job: Job, runner: Runner): Task {
  const { state } = emulation
  const now = stamp(emulation)
  const task: Task = {
    id: ++state.ids.task,
    job,
    runner,
    status: 'running',
    startedAt: now,
    stoppedAt: 0,
    updatedAt: now,
    log: emptyLog(),
    rows: 0,
    isArchived: false,
    outputs: new Map(),
    steps: job.plan.steps.map(() => ({ startedAt: 0, stoppedAt: 0, result: undefined })),
  }
  state.tasks.set(task.id, task)
  state.running.add(task)
  runner.running.add(task)
  runner.tasks++
  job.attempt++
  job.task = task
  job.tasks.push(task)
  moveJob(emulation, job, 'running', { startedAt: now })
  return task
}

/** A runner that has not reported for this time does not clean up. */
const silentMs = 60_000

/** Cancels the task. In some dialects a runner that can clean up ends it later. */
export function cancelTask(emulation: Emulation, task: Task): void {
  const { knobs } = emulation
  const { runner, job } = task
  const isHeard = reportedAt(emulation, task) + silentMs >= stamp(emulation)
  if (!dialects[knobs.dialect].cancelling || !runner.cancels || runner.isDeleted || !isHeard) {
    endTask(emulation, task, 'cancelled', stamp(emulation))
  } else if (task.status === 'running') {
    task.status = 'cancelling'
    moveJob(emulation, job, 'cancelling')
  }
}

export function hasEnded({ status }: Task): boolean {
  return status !== 'running' && status !== 'cancelling'
}

/** Ends the task, its job and the registration of its ephemeral runner. @param stoppedAt 0 for a time that is not known */
export function endTask(emulation: Emulation, task: Task, reported: Result, stoppedAt: Instant): void {
  const { state, deadlines } = emulation
  if (hasEnded(task)) return
  const result = task.status === 'cancelling' ? 'cancelled' : reported
  const { runner } = task
  deadlines.clear(`run:${task.id}`)
  task.status = result
  task.stoppedAt = stoppedAt
  state.running.delete(task)
  runner.running.delete(task)
  if (runner.stubTask === task) runner.stubTask = undefined
  if (runner.ephemeral) deleteRunner(emulation, runner)
  else emulation.unsettled.runners.add(runner)
  moveJob(emulation, task.job, result, { stoppedAt })
}
