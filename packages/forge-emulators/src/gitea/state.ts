// The state of the emulated Gitea: owners with repositories, runs with jobs and tasks, runners, registration tokens.
import type { Instant } from '@dayfly/kit/clock'
import type { KeptLog } from '../server/kept-log.ts'
import type { Workflow } from '../workflow/workflow.ts'

/** The name and the kind of an owner, and the names of its repositories. */
export type EmulatedOwner = {
  readonly name: string
  readonly kind: 'organization' | 'user'
  readonly repositories: readonly string[]
}

type PlaceCommon = {
  /** The number of the owner or the repository; 0 for the whole server. */
  readonly id: number
  /** The jobs of the place and of all places below it. */
  readonly jobs: JobIndex
  /** The runners that belong to exactly this place, in the order of the last list. */
  readonly runners: Runner[]
  /** The latest registration token. */
  token: RegistrationToken | undefined
  /** How often jobs of the place have become ready, or a runner was disabled or enabled. */
  tasksVersion: number
}

export type Site = PlaceCommon & { readonly kind: 'site' }

export type Owner = PlaceCommon & {
  readonly kind: 'organization' | 'user'
  readonly name: string
  readonly repositories: Set<Repository>
}

export type Repository = PlaceCommon & {
  readonly kind: 'repository'
  readonly owner: Owner
  name: string
  isArchived: boolean
  hasActions: boolean
  /** The waiting jobs, in one line for each list of labels. */
  readonly lines: Map<string, Line>
  /** The runs of each concurrency group that have not ended. */
  readonly groups: Map<string, Set<Run>>
  /** The committed workflow files by their names. */
  readonly workflows: Map<string, Workflow>
  /** How many runs it has had. */
  runs: number
}

/** The level to which a runner belongs: the server, an owner or a repository. */
export type Place = Site | Owner | Repository

export type RegistrationToken = { readonly value: string; readonly place: Place; isActive: boolean }

/** The statuses of a job in the server's words. `waiting` is ready; `blocked` waits for other jobs; the runner of a `cancelling` job cleans up. */
export type JobStatus = 'waiting' | 'blocked' | 'running' | 'cancelling' | Result

/** The jobs of a place by their status, in the order of their ids. */
export type JobIndex = { readonly [Group in JobGroup]: Job[] }

/** `done` has the jobs of all four results. */
export type JobGroup = Exclude<JobStatus, Result> | 'done'

/** The waiting jobs of a repository with the same labels, the oldest one first. */
export type Line = { readonly labels: readonly string[]; readonly jobs: Job[] }

export type Result = 'success' | 'failure' | 'cancelled' | 'skipped'

export type Run = {
  readonly id: number
  /** The number within its repository, from 1. */
  readonly index: number
  readonly repository: Repository
  /** The name of the workflow file. */
  readonly workflow: string
  readonly event: string
  readonly branch: string
  readonly commit: string
  /** The folder of the repository on this machine, from which runners clone; undefined without one. */
  readonly folder: string | undefined
  readonly concurrency: Concurrency | undefined
  readonly jobs: Job[]
}

export type Concurrency = { readonly group: string; readonly cancelInProgress: boolean }

export type Job = {
  readonly id: number
  readonly run: Run
  readonly plan: JobPlan
  status: JobStatus
  /** How often a runner has taken it. */
  attempt: number
  /** The task of the latest attempt; undefined until a runner takes the job. */
  task: Task | undefined
  /** The tasks of all attempts, the oldest one first. */
  readonly tasks: Task[]
  readonly createdAt: Instant
  /** 0 for a time that is not set. */
  startedAt: Instant
  stoppedAt: Instant
  updatedAt: Instant
}

/** The facts of a job that are known before it is queued. */
export type JobPlan = {
  /** The key in the workflow file. Jobs of one matrix share it. */
  readonly key: string
  readonly name: string
  readonly labels: readonly string[]
  readonly needs: readonly string[]
  /** Whether the job has an `if`, which its runner evaluates. */
  readonly hasCondition: boolean
  /** The names of its steps. */
  readonly steps: readonly string[]
  /** Returns the workflow with only this job, in YAML. */
  readonly payload: () => string
  /** How long it runs on a stub runner, in milliseconds; undefined: until the control finishes it. */
  readonly durationMs: number | undefined
  /** Its result if it ends by itself on a stub runner. */
  readonly result: Result
}

export type Task = {
  readonly id: number
  readonly job: Job
  readonly runner: Runner
  status: 'running' | 'cancelling' | Result
  readonly startedAt: Instant
  stoppedAt: Instant
  /** The last report. */
  updatedAt: Instant
  readonly log: KeptLog
  /** How many rows of the log have arrived. */
  rows: number
  isArchived: boolean
  readonly outputs: Map<string, string>
  readonly steps: { startedAt: Instant; stoppedAt: Instant; result: Result | undefined }[]
}

export type Runner = {
  readonly id: number
  readonly uuid: string
  readonly token: string
  readonly place: Place
  readonly name: string
  readonly ephemeral: boolean
  version: string
  labels: readonly string[]
  labelSet: ReadonlySet<string>
  disabled: boolean
  /** Whether it can clean up a cancelled task before it reports. */
  cancels: boolean
  /** When it was last disabled or enabled. */
  disabledAt: Instant
  isDeleted: boolean
  /** The last call and the last report; 0 for never. */
  lastOnline: Instant
  lastActive: Instant
  /** Its tasks that have not ended. */
  readonly running: Set<Task>
  /** How many tasks it has begun. */
  tasks: number
  /** A timer of the emulator asks for its tasks, since this time. */
  isStub: boolean
  stubSince: Instant
  /** The task that the stub runs. */
  stubTask: Task | undefined
}

export type State = {
  readonly startedAt: Instant
  readonly site: Site
  /** The key is the name in lower case. */
  readonly owners: Map<string, Owner>
  /** The key is `owner/name` in lower case. */
  readonly repositories: Map<string, Repository>
  /** The old names of renamed repositories. */
  readonly redirects: Map<string, Repository>
  readonly tokens: Map<string, RegistrationToken>
  readonly runners: Map<number, Runner>
  readonly runnersByUuid: Map<string, Runner>
  /** Two runners may have one name. */
  readonly runnersByName: Map<string, Set<Runner>>
  /** All runners, in the order of the last list. */
  readonly listed: Runner[]
  readonly jobs: Map<number, Job>
  readonly runs: Map<number, Run>
  readonly tasks: Map<number, Task>
  readonly running: Set<Task>
  readonly hooks: Map<number, Hook>
  readonly ids: { place: number; runner: number; run: number; job: number; task: number; hook: number }
}

/** A webhook of a place. */
export type Hook = { readonly id: number; readonly place: Place; readonly url: URL; readonly secret: string }
