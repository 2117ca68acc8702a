// Stub runners: they ask for tasks and run them on the emulator's clock. A job that becomes ready wakes one idle stub, so that idle ones need no timer.
import type { Emulation } from './emulation.ts'
import { contactOf, dropStubTask, quietStub } from './runners.ts'
import { finishTask } from './runs.ts'
import type { Job, Result, Runner } from './state.ts'
import { pickTask } from './tasks.ts'
import { oldestFor } from './waiting.ts'

/** Starts the process of the runner. Returns false if it runs already. */
export function startStub(emulation: Emulation, runner: Runner): boolean {
  if (runner.isStub) return false
  runner.isStub = true
  runner.stubSince = emulation.clock.now()
  askForTask(emulation, runner)
  return true
}

/** Ends the task that the stub runs. Its registration goes with the task if it is ephemeral. */
export function finishStub(emulation: Emulation, { stubTask }: Runner, result: Result): boolean {
  if (!stubTask) return false
  finishTask(emulation, stubTask, result, emulation.clock.now())
  return true
}

/** Ends the process of the runner without a word. Returns false if no stub runs. */
export function stopStub(emulation: Emulation, runner: Runner): boolean {
  if (!runner.isStub) return false
  const { online, active } = contactOf(emulation, runner)
  Object.assign(runner, { lastOnline: online, lastActive: active })
  dropStubTask(emulation, runner)
  runner.isStub = false
  quietStub(emulation, runner)
  return true
}

/** Wakes an idle stub that may take the job. */
export function wakeStub(emulation: Emulation, job: Job): void {
  if (job.status !== 'waiting') return
  const runner = emulation.idleStubs.find(job)
  if (runner) askSoon(emulation, runner)
}

/** A stub that is idle again asks at once, and one that is enabled again asks with its next interval. */
export function rouseStub(emulation: Emulation, runner: Runner): void {
  if (!runner.isStub || runner.isDeleted || runner.stubTask || emulation.deadlines.has(`ask:${runner.id}`)) return
  askForTask(emulation, runner)
}

function askSoon(emulation: Emulation, runner: Runner): void {
  const { clock, knobs, deadlines, idleStubs } = emulation
  idleStubs.remove(runner)
  if (knobs.pickUpMs === 0) {
    askForTask(emulation, runner)
    return
  }
  const sinceLast = (clock.now() - runner.stubSince) % knobs.pickUpMs
  deadlines.set(`ask:${runner.id}`, knobs.pickUpMs - sinceLast, () => askForTask(emulation, runner))
}

function askForTask(emulation: Emulation, runner: Runner): void {
  const { state, unsettled, deadlines, idleStubs } = emulation
  idleStubs.remove(runner)
  const task = pickTask(emulation, runner)
  if (!task) {
    // A disabled runner may have been woken for a job that another one can take.
    const job = runner.disabled ? oldestFor(state, runner) : undefined
    if (job) unsettled.jobs.add(job)
    // After a restart, an ephemeral runner that has had its task waits for nothing.
    if (!runner.ephemeral || runner.tasks === 0) idleStubs.add(runner)
    return
  }
  runner.stubTask = task
  const { durationMs, result } = task.job.plan
  if (durationMs === undefined) return
  deadlines.set(`run:${task.id}`, durationMs, () => finishTask(emulation, task, result, emulation.clock.now()))
}
