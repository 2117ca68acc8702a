// The state of the emulated GitHub: scopes with runner groups, scale sets with their session and messages, jobs with attempts, runners.
import type { Instant } from '@dayfly/kit/clock'
import type { JobReport, RunnerJob } from '../job.ts'
import type { KeptLog } from '../server/kept-log.ts'

export type ScopeKind = 'org' | 'repo' | 'enterprise'

export type Scope = {
  /** The kind and the name: `org:my-org`. */
  readonly id: string
  readonly kind: ScopeKind
  /** The name, for example `my-org`, `owner/repo`, `my-enterprise`. */
  readonly name: string
  /** The scope's path segment under `/tenant/`. */
  readonly key: string
  readonly groups: Group[]
  /** The registered runners, the oldest one first. */
  readonly runners: Set<Runner>
}

export type Group = { readonly id: number; readonly name: string; readonly isDefault: boolean }

export type Label = { readonly id: number; readonly name: string; readonly type: string }

export type ScaleSet = {
  readonly id: number
  readonly scope: Scope
  name: string
  groupId: number
  labels: readonly Label[]
  setting: Readonly<Record<string, unknown>>
  readonly createdAt: Instant
  lastSeenAt: Instant
  session: Session | undefined
  /** Jobs that are offered but not acquired (legacy mode). */
  readonly offered: Set<Job>
  /** Jobs that are assigned to the set but have no runner. */
  readonly waiting: Set<Job>
  /** Jobs that are assigned to a runner but not started. */
  readonly reserved: Set<Job>
  readonly running: Set<Job>
  readonly runners: Set<Runner>
  readonly online: Set<Runner>
  /** Online runners without a job, the longest idle one first. */
  readonly idle: Set<Runner>
  /** Job messages that are not in an envelope yet. */
  readonly pending: JobMessage[]
  /** Unacknowledged envelopes, oldest first. */
  readonly messages: Message[]
}

export type Session = {
  readonly id: string
  readonly owner: string
  readonly set: ScaleSet
  /** Counts refreshes; the queue token contains it. */
  serial: number
  lastPollAt: Instant
  /** The capacity of the last poll; undefined before the first poll. */
  capacity: number | undefined
  /** Ends the held poll; undefined if none is held. */
  wake: (() => void) | undefined
}

export type JobMessage = Readonly<Record<string, unknown>>

export type Message = { readonly id: number; readonly value: Readonly<Record<string, unknown>> }

/** The description of a job to queue. */
export type JobSpec = {
  /** The scope, for example `org:my-org`. If undefined, any scope may run the job. */
  readonly scope?: string | undefined
  readonly labels: readonly string[]
  readonly name: string
  /** The workflow file in the job's reference, for example `ci.yml`. */
  readonly workflow?: string | undefined
  readonly owner?: string | undefined
  readonly repository?: string | undefined
  readonly runId?: number | undefined
  readonly message: Omit<RunnerJob, 'jobId' | 'runId'>
  /** The duration and the exit code of a stub runner's job. */
  readonly durationMs?: number | undefined
  readonly exitCode?: number | undefined
}

export type JobTimes = {
  queuedAt: Instant
  assignedAt: Instant | undefined
  startedAt: Instant | undefined
  /** The start of the first step, as the runner reports it. */
  firstStepAt: Instant | undefined
  finishedAt: Instant | undefined
}

/** One job over all its attempts. `id`, `runId` and `spec` never change; the other members describe the current attempt. */
export type Job = {
  /** The `jobId` of the first attempt. */
  readonly id: string
  readonly runId: number
  readonly spec: JobSpec
  /** The number by which the REST API knows it, and the attempt of its run that it belongs to. */
  readonly number: number
  readonly runAttempt: number
  /** The id of the job of an earlier attempt of the run that this one runs again. */
  readonly repeats: string | undefined
  /** The lease of its runner ended: nobody reported its end. */
  isLost: boolean
  /** The id of the current attempt. */
  jobId: string
  /** The ids of all attempts. */
  readonly jobIds: string[]
  attempt: number
  requestId: number
  state: 'queued' | 'available' | 'assigned' | 'running' | 'completed'
  /** Whether the job was queued while every matching session announced 0 (the zero-capacity trapdoor). */
  excluded: boolean
  /** The collection that contains the job. */
  place: Set<Job> | undefined
  set: ScaleSet | undefined
  runner: Runner | undefined
  readonly times: JobTimes
  /** How often a runner has started the job, or one of its steps again. More than 1 means that the job ran twice. */
  runs: number
  /** The start of each step, as the runner reports it. */
  readonly stepsStarted: Map<string, Instant>
  readonly log: KeptLog
  cancelRequested: boolean
  result: string | undefined
  report: JobReport | undefined
}

export type CommitNote = {
  readonly id: number
  readonly kind: 'check' | 'status'
  readonly repository: string
  readonly sha: string
  readonly name: string
  readonly externalId: string | undefined
  readonly conclusion: string
  readonly text: string
}

export type Runner = {
  readonly id: number
  readonly name: string
  readonly scope: Scope
  readonly set: ScaleSet | undefined
  readonly labels: readonly string[]
  readonly createdAt: Instant
  online: boolean
  /** Whether the runner's credential has been used. */
  connected: boolean
  session: string | undefined
  /** Whether a job would reach the runner now, because it polls or is a stub. */
  listening: boolean
  version: string | undefined
  job: Job | undefined
  acknowledged: boolean
  /** Whether the runner got the message about the cancellation. */
  cancelSent: boolean
  /** Ends the held poll; undefined if none is held. */
  wake: (() => void) | undefined
}

export type State = {
  readonly scopes: Map<string, Scope>
  readonly sets: Map<number, ScaleSet>
  readonly sessions: Map<string, Session>
  /** Jobs by the id of any of their attempts. */
  readonly jobs: Map<string, Job>
  /** Jobs without a scale set. */
  readonly queue: Set<Job>
  /** Job messages that arrive later, by the name of their deadline. */
  readonly late: Map<string, () => void>
  /** Each job of a run that is kept, the oldest first. */
  readonly runs: Map<number, Set<Job>>
  /** The check runs and commit statuses. */
  readonly notes: CommitNote[]
  /** Finished jobs, oldest first; their number is limited. */
  readonly finished: Set<Job>
  readonly runners: Map<number, Runner>
  /** Runners by name. Two scopes may have runners of one name. */
  readonly runnersByName: Map<string, readonly Runner[]>
  readonly ids: {
    set: number
    label: number
    runner: number
    run: number
    job: number
    request: number
    message: number
  }
}

export function createState(firstMessageId: number): State {
  return {
    scopes: new Map(),
    sets: new Map(),
    sessions: new Map(),
    jobs: new Map(),
    queue: new Set(),
    late: new Map(),
    runs: new Map(),
    notes: [],
    finished: new Set(),
    runners: new Map(),
    runnersByName: new Map(),
    ids: { set: 0, label: 0, runner: 0, run: 0, job: 0, request: 0, message: firstMessageId - 1 },
  }
}

/** Returns the scope `kind:name`, and creates it if needed: every organization exists in the emulator. */
export function scopeOf(state: State, kind: ScopeKind, name: string): Scope {
  const id = `${kind}:${name}`
  const known = state.scopes.get(id)
  if (known) return known
  const key = kind === 'org' ? name : `${kind}.${name.replace('/', '.')}`
  const groups = [{ id: 1, name: 'Default', isDefault: true }]
  const scope: Scope = { id, kind, name, key, groups, runners: new Set() }
  state.scopes.set(id, scope)
  return scope
}

/** Moves a job to another collection. */
export function place(job: Job, into: Set<Job>): void {
  job.place?.delete(job)
  into.add(job)
  job.place = into
}
