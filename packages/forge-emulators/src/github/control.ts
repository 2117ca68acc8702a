// Controls the emulator from tests and the demo, in the same process: jobs, stub runners, knobs, faults.
import type { JobReport } from '../job.ts'
import type { ServerControl } from '../server/control-routes.ts'
import { hold } from '../server/deadlines.ts'
import type { Faults } from '../server/faults.ts'
import { changeKnobs } from '../server/knobs.ts'
import type { RequestLog } from '../server/request-log.ts'
import type { InstallationChange } from './apps.ts'
import type { KnobChange } from './config.ts'
import type { Emulation, JobEvent } from './emulation.ts'
import { changeInstallation } from './installations.ts'
import { cancelJob, completeJob, queueJob, startJob } from './jobs.ts'
import { type KeptState, keepState } from './kept-state.ts'
import { announce } from './messages.ts'
import { deliverLate } from './outages.ts'
import { connectRunner, disconnectRunner, runnerNamed } from './runners.ts'
import { removeScaleSet } from './scale-sets.ts'
import { endSession } from './sessions.ts'
import { settle } from './settle.ts'
import { type CommitNote, createState, type Job, type JobSpec, type Runner, scopeOf } from './state.ts'
import { type Statistics, statisticsOf } from './statistics.ts'

export interface Control extends ServerControl {
  /** Queues several jobs at once, so that they can share a message. Returns their ids, which are the same over all attempts, and their run ids. */
  queueJobs(specs: readonly JobSpec[]): readonly { readonly id: string; readonly runId: number }[]
  /** Calls the listener for every job event from now on. Returns a function that unsubscribes it. */
  onJob(listener: (event: JobEvent) => void): () => void
  /** Finds a job by the id of any attempt. Only the last finished jobs are kept. */
  job(jobId: string): Readonly<Job> | undefined
  /** Cancels a job in any state. Returns false if it does not exist or has ended. */
  cancel(jobId: string): boolean
  /** Sends JobCompleted for a job that continues to run. */
  announceCompleted(jobId: string): boolean
  /** Returns what GitHub counts for each scale set now. */
  statistics(): readonly Statistics[]
  /** Returns what was written to commits. */
  notes(): readonly CommitNote[]
  /** Returns each job of the run that is kept, the oldest first. */
  run(runId: number): readonly Readonly<Job>[]
  /** Returns the registrations of all scopes. */
  registrations(): readonly RegistrationView[]
  /** Finds a registration by its name, in all scopes. */
  registration(name: string): RegistrationView | undefined
  knobs(change: KnobChange): void
  /** Changes an installation of an App. Returns false if it does not exist. */
  installation(id: number, change: InstallationChange): boolean
  group(scope: string, name: string): number
  /** Drops a session or a scale set, as GitHub does in incidents. */
  loseSession(sessionId: string): boolean
  loseScaleSet(id: number): boolean
  /** Returns what the next emulator can begin with. Throws while there is a runner, a session or an open job. */
  keep(): KeptState
  readonly stub: StubRunner
}

export type RegistrationView = {
  readonly id: number
  readonly name: string
  readonly online: boolean
  readonly busy: boolean
}

/** A runner that is controlled by calls instead of HTTP. `absent` means that there is no such registration or no such job. */
export interface StubRunner {
  online(name: string, version?: string): 'online' | 'absent' | 'connected-before'
  /** Waits for a job of the runner. Returns undefined after the poll time. */
  job(name: string, signal?: AbortSignal): Promise<Readonly<Job> | 'absent' | undefined>
  /** Starts the job that is reserved for the runner. */
  start(name: string): 'started' | 'absent'
  finish(name: string, report: JobReport): 'finished' | 'absent'
  /** Breaks the connection without a report. A running job lives until its lease ends. */
  vanish(name: string): 'vanished' | 'absent'
}

export function createControl(emulation: Emulation, faults: Faults, log: RequestLog): Control {
  const changed = <T>(result: T): T => {
    settle(emulation)
    return result
  }
  const withJob = (jobId: string, run: (job: Job) => void): boolean => {
    const job = emulation.state.jobs.get(jobId)
    if (!job || job.state === 'completed') return false
    run(job)
    return changed(true)
  }
  return {
    queueJobs: (specs) =>
      changed(specs.map((spec) => queueJob(emulation, spec)).map(({ id, runId }) => ({ id, runId }))),
    onJob: (listener) => {
      emulation.listeners.add(listener)
      return () => void emulation.listeners.delete(listener)
    },
    job: (jobId) => emulation.state.jobs.get(jobId),
    cancel: (jobId) => withJob(jobId, (job) => cancelJob(emulation, job)),
    announceCompleted: (jobId) =>
      withJob(jobId, (job) => announce(emulation, 'JobCompleted', { ...job, result: 'succeeded' })),
    statistics: () => [...emulation.state.sets.values()].map(statisticsOf),
    notes: () => emulation.state.notes,
    run: (runId) => [...(emulation.state.runs.get(runId) ?? [])],
    registrations: () => [...emulation.state.runners.values()].map(registrationView),
    registration: (name) => {
      const runner = runnerNamed(emulation, name)
      return runner && registrationView(runner)
    },
    requests: (since = 0) => log.since(since),
    knobs: (change) => {
      const { outage } = emulation.knobs
      emulation.knobs = changeKnobs(emulation.knobs, change)
      if (outage === 'queue-delayed') deliverLate(emulation)
      settle(emulation)
    },
    installation: (id, change) => changeInstallation(emulation, id, change),
    fault: faults.add,
    removeFault: faults.remove,
    group: (scope, name) => addGroup(emulation, scope, name),
    loseSession: (sessionId) => {
      const session = emulation.state.sessions.get(sessionId)
      if (session) endSession(emulation, session)
      return session !== undefined
    },
    loseScaleSet: (id) => {
      const set = emulation.state.sets.get(id)
      if (set) removeScaleSet(emulation, set)
      return changed(set !== undefined)
    },
    keep: () => keepState(emulation.state),
    stub: createStubRunner(emulation),
    reset: () => reset(emulation, faults, log),
  }
}

function registrationView({ id, name, online, job }: Runner): RegistrationView {
  return { id, name, online, busy: job !== undefined }
}

function createStubRunner(emulation: Emulation): StubRunner {
  const find = (name: string): Runner | undefined => runnerNamed(emulation, name)
  return {
    online: (name, version) => {
      const runner = find(name)
      if (!runner) return 'absent'
      if (runner.connected) return 'connected-before'
      runner.version = version
      connectRunner(emulation, runner)
      runner.listening = true
      settle(emulation)
      return 'online'
    },
    job: async (name, signal) => {
      const runner = find(name)
      if (!runner) return 'absent'
      if (runner.job) return runner.job
      const held = hold(emulation.clock, emulation.knobs.longPollMs, signal)
      runner.wake = held.wake
      await held.done
      return find(name) === runner ? runner.job : 'absent'
    },
    start: (name) => {
      const runner = find(name)
      if (runner?.job?.state !== 'assigned') return 'absent'
      startJob(emulation, runner.job, runner)
      settle(emulation)
      return 'started'
    },
    finish: (name, report) => {
      const job = find(name)?.job
      if (job?.state !== 'running') return 'absent'
      completeJob(emulation, job, report)
      settle(emulation)
      return 'finished'
    },
    vanish: (name) => {
      const runner = find(name)
      if (!runner) return 'absent'
      disconnectRunner(emulation, runner)
      settle(emulation)
      return 'vanished'
    },
  }
}

function addGroup(emulation: Emulation, scopeId: string, name: string): number {
  const [kind = '', scopeName = ''] = scopeId.split(/:(.*)/s)
  if (kind !== 'org' && kind !== 'repo' && kind !== 'enterprise') throw new Error(`'${scopeId}' is not a scope`)
  const { groups } = scopeOf(emulation.state, kind, scopeName)
  const id = groups.length + 1
  groups.push({ id, name, isDefault: false })
  return id
}

/** Clears everything except the knobs and the listeners, and ends held polls. */
function reset(emulation: Emulation, faults: Faults, log: RequestLog): void {
  const { sessions, runners } = emulation.state
  emulation.deadlines.clearAll()
  emulation.state = createState(emulation.knobs.firstMessageId)
  for (const session of sessions.values()) session.wake?.()
  for (const runner of runners.values()) runner.wake?.()
  faults.clear()
  log.clear()
}
