// Controls the emulator from tests, in the same process: jobs, stub runners, places, knobs, faults.
import type { ServerControl } from '../server/control-routes.ts'
import type { Faults } from '../server/faults.ts'
import { changeKnobs } from '../server/knobs.ts'
import type { RequestLog } from '../server/request-log.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { KnobChange } from './config.ts'
import { type CronTask, runCron } from './cron.ts'
import type { Emulation, JobEvent } from './emulation.ts'
import { nameOf, placeNamed, renameRepository, repositoryNamed } from './places.ts'
import { type JobSpec, planOfSpec } from './plans.ts'
import { deleteRepository } from './repositories.ts'
import { runWorkflow, type WorkflowOptions, type WorkflowRun } from './run-workflow.ts'
import { createRunner, deleteRunner, resetRegistrationToken, statusOf } from './runners.ts'
import { cancelRun, createRun, rerunJobs } from './runs.ts'
import { settle } from './settle.ts'
import type { Job, JobStatus, Result, Runner, State } from './state.ts'
import { finishStub, startStub, stopStub } from './stubs.ts'

export type RunnerFacts = {
  readonly id: number
  readonly uuid: string
  readonly name: string
  /** `admin`, an owner, or `owner/repository`. */
  readonly place: string
  readonly labels: readonly string[]
  readonly ephemeral: boolean
  readonly disabled: boolean
  /** `active`: it has reported about a task within the last seconds. */
  readonly status: 'offline' | 'idle' | 'active'
  /** The id of the job that the server gave it. */
  readonly job: string | undefined
  /** How many jobs it has begun. */
  readonly jobs: number
}

export type JobFacts = {
  readonly id: string
  readonly name: string
  readonly repository: string
  readonly labels: readonly string[]
  /** The server's word: `waiting` is ready, `blocked` waits for other jobs. */
  readonly status: JobStatus
  readonly attempt: number
  /** The name and the UUID of the runner of the latest attempt. */
  readonly runner: string | undefined
  readonly runnerUuid: string | undefined
  /** The steps of the latest attempt, each with the result that the runner reported. */
  readonly steps: readonly { readonly name: string; readonly result: Result | undefined }[]
}

export interface Control extends ServerControl {
  /** Queues the jobs in order, each as its own run. Returns their ids. Throws for a repository that does not exist. */
  queueJobs(specs: readonly JobSpec[]): readonly string[]
  job(id: string): JobFacts | undefined
  /** Returns the last lines of the job's log. */
  jobLog(id: string): readonly string[]
  /** Cancels the run of the job, as the web page does. Returns false if the job does not exist or the run has ended. */
  cancelJob(id: string): boolean
  /** Queues the job again, and the jobs that need it. Returns false while its run goes on. */
  rerunJob(id: string): boolean
  /** Starts a workflow. Throws for a repository that does not exist, or if a matrix or a label cannot be evaluated. */
  runWorkflow(workflow: Workflow, options: WorkflowOptions): WorkflowRun
  /** Calls the listener for every job event from now on. Returns a function that unsubscribes it. */
  onJob(listener: (event: JobEvent) => void): () => void
  /** Returns the registrations of all places, in the order of their ids. */
  runners(): readonly RunnerFacts[]
  /** Finds a registration by its UUID, its id, or its name. If two have the name, it finds the older one. */
  runner(named: string): RunnerFacts | undefined
  knobs(change: KnobChange): void
  /** Registers a runner of another client, which takes job after job. Returns its UUID. @param place as in `resetRegistrationToken` */
  registerRunner(place: string, name: string, labels: readonly string[]): string
  /** Deletes a registration, as the button of the web page does. Returns false if it does not exist. */
  deleteRunner(named: string): boolean
  /** Replaces the registration token of a place: `admin`, an owner, or `owner/repository`. */
  resetRegistrationToken(place: string): void
  /** Runs a cron task now. */
  runCron(task: CronTask): void
  /** Deletes a repository `owner/name` with its runners and jobs. These functions throw if it does not exist. */
  deleteRepository(name: string): void
  /** Gives the repository another name at its owner. */
  renameRepository(name: string, to: string): void
  archive(name: string): void
  disableActions(name: string): void
  /** Makes a token of a user invalid. */
  revoke(token: string): void
  readonly stub: StubRunner
}

/** A runner that is controlled by calls. Each call names it as `runner` does, and returns whether its state allows the call. */
export interface StubRunner {
  /** Its process starts: from now on it asks for jobs and runs them. */
  online(runner: string): boolean
  /** Ends the job that it runs. */
  finish(runner: string, result: Result): boolean
  /** Its process is gone without a word. */
  vanish(runner: string): boolean
}

export function createControl(emulation: Emulation, faults: Faults, log: RequestLog): Control {
  const settled = <T>(run: () => T): T => {
    const result = run()
    settle(emulation)
    return result
  }
  const repository = (name: string) => repositoryNamed(emulation.state, name)
  return {
    ...jobControl(emulation, settled),
    onJob: (listener) => {
      emulation.listeners.add(listener)
      return () => void emulation.listeners.delete(listener)
    },
    runners: () => [...emulation.state.runners.values()].map((runner) => factsOf(emulation, runner)),
    runner: (named) => {
      const runner = runnerNamed(emulation.state, named)
      return runner && factsOf(emulation, runner)
    },
    requests: (since = 0) => log.since(since),
    knobs: (change) => {
      emulation.knobs = changeKnobs(emulation.knobs, change)
    },
    fault: faults.add,
    removeFault: faults.remove,
    registerRunner: (place, name, labels) =>
      createRunner(emulation, placeNamed(emulation.state, place), {
        name,
        labels,
        version: '',
        ephemeral: false,
        cancels: false,
      }).uuid,
    deleteRunner: (named) =>
      settled(() => {
        const runner = runnerNamed(emulation.state, named)
        if (runner) deleteRunner(emulation, runner)
        return runner !== undefined
      }),
    resetRegistrationToken: (place) => resetRegistrationToken(emulation, placeNamed(emulation.state, place)),
    runCron: (task) => settled(() => runCron(emulation, task)),
    deleteRepository: (name) => settled(() => deleteRepository(emulation, repository(name))),
    renameRepository: (name, to) => renameRepository(emulation.state, repository(name), to),
    archive: (name) => {
      repository(name).isArchived = true
    },
    disableActions: (name) => {
      repository(name).hasActions = false
    },
    revoke: (token) => void emulation.revoked.add(token),
    stub: createStubRunner(emulation, settled),
    reset: () => {
      emulation.deadlines.clearAll()
      faults.clear()
      log.clear()
      emulation.revoked.clear()
      for (const part of [emulation.unsettled.jobs, emulation.unsettled.runners, emulation.idleStubs]) part.clear()
      emulation.state = emulation.freshState()
    },
  }
}

type Settled = <T>(run: () => T) => T
type JobControl = Pick<Control, 'queueJobs' | 'job' | 'jobLog' | 'cancelJob' | 'rerunJob' | 'runWorkflow'>

function jobControl(emulation: Emulation, settled: Settled): JobControl {
  const find = (id: string) => emulation.state.jobs.get(Number(id))
  return {
    queueJobs: (specs) =>
      settled(() => specs.flatMap((spec) => queueJob(emulation, spec).jobs.map(({ id }) => String(id)))),
    job: (id) => {
      const job = find(id)
      return job && jobFacts(job)
    },
    jobLog: (id) => find(id)?.task?.log.lines ?? [],
    cancelJob: (id) =>
      settled(() => {
        const job = find(id)
        return job !== undefined && cancelRun(emulation, job.run)
      }),
    rerunJob: (id) =>
      settled(() => {
        const job = find(id)
        return job !== undefined && rerunJobs(emulation, job.run, [job])
      }),
    runWorkflow: (workflow, { repository, ...options }) =>
      settled(() => runWorkflow(emulation, workflow, repositoryNamed(emulation.state, repository), options)),
  }
}

const commit = '0'.repeat(40)

function queueJob(emulation: Emulation, spec: JobSpec): { readonly jobs: readonly Job[] } {
  const { group } = spec
  return createRun(emulation, {
    repository: repositoryNamed(emulation.state, spec.repository),
    ...{ workflow: 'job.yml', event: 'push', branch: 'main', commit, folder: undefined },
    concurrency: group === undefined ? undefined : { group, cancelInProgress: false },
    jobs: [planOfSpec(spec)],
  })
}

function jobFacts({ id, plan, run, status, attempt, task }: Job): JobFacts {
  return {
    id: String(id),
    name: plan.name,
    repository: nameOf(run.repository),
    labels: plan.labels,
    status,
    attempt,
    runner: task?.runner.name,
    runnerUuid: task?.runner.uuid,
    steps: plan.steps.map((name, index) => ({ name, result: task?.steps[index]?.result })),
  }
}

function factsOf(emulation: Emulation, runner: Runner): RunnerFacts {
  const { id, uuid, name, place, labels, ephemeral, disabled, running, tasks: jobs } = runner
  const [task] = running
  const job = task && String(task.job.id)
  const status = statusOf(emulation, runner)
  return { id, uuid, name, place: nameOf(place), labels, ephemeral, disabled, status, job, jobs }
}

function runnerNamed({ runners, runnersByUuid, runnersByName }: State, named: string): Runner | undefined {
  const [oldest] = runnersByName.get(named) ?? []
  return runnersByUuid.get(named) ?? (/^\d+$/.test(named) ? runners.get(Number(named)) : undefined) ?? oldest
}

function createStubRunner(emulation: Emulation, settled: Settled): StubRunner {
  const change = (named: string, run: (runner: Runner) => boolean): boolean =>
    settled(() => {
      const runner = runnerNamed(emulation.state, named)
      return runner !== undefined && run(runner)
    })
  return {
    online: (named) => change(named, (runner) => startStub(emulation, runner)),
    finish: (named, result) => change(named, (runner) => finishStub(emulation, runner, result)),
    vanish: (named) => change(named, (runner) => stopStub(emulation, runner)),
  }
}
