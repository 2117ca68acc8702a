// What the emulated GitHub knows: scopes with runner groups, scale sets with their session and messages, jobs with attempts, runners.
import type { Instant } from '../../lib/clock.ts'
import type { JobReport, RunnerJob } from '../job.ts'

export type ScopeKind = 'org' | 'repo' | 'enterprise'

export type Scope = {
  readonly kind: ScopeKind
  /** `my-org`, `owner/repo`, `my-enterprise`. */
  readonly name: string
  /** Its path segment under `/tenant/`. */
  readonly key: string
  readonly groups: Group[]
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
  /** Offered and not yet acquired (legacy mode). */
  readonly offered: Set<Job>
  /** Assigned to the set, no runner yet. */
  readonly waiting: Set<Job>
  /** Assigned to one runner, not yet taken by it. */
  readonly reserved: Set<Job>
  readonly running: Set<Job>
  readonly runners: Set<Runner>
  readonly online: Set<Runner>
  /** Online without a job, longest first. */
  readonly idle: Set<Runner>
  /** Job messages that no envelope carries yet. */
  readonly pending: JobMessage[]
  /** Envelopes that are not acknowledged, oldest first. */
  readonly messages: Message[]
}

export type Session = {
  readonly id: string
  readonly owner: string
  readonly set: ScaleSet
  /** Counts refreshes: the queue token carries it. */
  serial: number
  lastPollAt: Instant
  /** What the last poll announced; undefined before the first. */
  capacity: number | undefined
  /** Ends the poll that is held, if one is. */
  wake: (() => void) | undefined
}

export type JobMessage = Readonly<Record<string, unknown>>

export type Message = { readonly id: number; readonly value: Readonly<Record<string, unknown>> }

/** A job as it is queued. */
export type JobSpec = {
  /** `org:my-org`; undefined: any scope may run it. */
  readonly scope?: string | undefined
  readonly labels: readonly string[]
  readonly name: string
  /** Shown as the workflow's ref, for example `ci.yml`. */
  readonly workflow?: string | undefined
  readonly owner?: string | undefined
  readonly repository?: string | undefined
  readonly runId?: number | undefined
  readonly message: Omit<RunnerJob, 'jobId' | 'runId'>
  /** For stub runners only: how long to pretend and how to exit. */
  readonly durationMs?: number | undefined
  readonly exitCode?: number | undefined
}

export type JobTimes = {
  queuedAt: Instant
  assignedAt: Instant | undefined
  startedAt: Instant | undefined
  /** When the first step began, by the runner's own word. */
  firstStepAt: Instant | undefined
  finishedAt: Instant | undefined
}

/** One job over all its attempts; everything but `id`, `runId` and `spec` is of the current attempt. */
export type Job = {
  /** The first attempt's `jobId`. */
  readonly id: string
  readonly runId: number
  readonly spec: JobSpec
  /** Identifies the attempt. */
  jobId: string
  /** Every attempt's. */
  readonly jobIds: string[]
  attempt: number
  requestId: number
  state: 'queued' | 'available' | 'assigned' | 'running' | 'completed'
  /** Fell through the zero-capacity trapdoor. */
  excluded: boolean
  /** The collection the job stands in. */
  place: Set<Job> | undefined
  set: ScaleSet | undefined
  runner: Runner | undefined
  readonly times: JobTimes
  /** How often a runner has taken it or has begun a step of it again: more than 1 is a job that ran twice. */
  runs: number
  /** When each step began, by the runner's own word. */
  readonly stepsStarted: Map<string, Instant>
  readonly log: { readonly lines: string[]; bytes: number }
  cancelRequested: boolean
  result: string | undefined
  report: JobReport | undefined
}

export type Runner = {
  readonly id: number
  readonly name: string
  readonly scope: Scope
  readonly set: ScaleSet | undefined
  readonly labels: readonly string[]
  readonly createdAt: Instant
  online: boolean
  /** Its credential has been used. */
  connected: boolean
  session: string | undefined
  /** A job would reach it now: it polls, or it is a stub. */
  listening: boolean
  version: string | undefined
  job: Job | undefined
  acknowledged: boolean
  cancelTold: boolean
  /** Ends the poll that is held, if one is. */
  wake: (() => void) | undefined
}

export type State = {
  readonly scopes: Map<string, Scope>
  readonly sets: Map<number, ScaleSet>
  readonly sessions: Map<string, Session>
  /** By the id of any of a job's attempts. */
  readonly jobs: Map<string, Job>
  /** Jobs that no set has. */
  readonly queue: Set<Job>
  /** Finished jobs, oldest first, bounded. */
  readonly finished: Set<Job>
  readonly runners: Map<number, Runner>
  /** By tenant key and name. */
  readonly runnersByName: Map<string, Runner>
  readonly ids: { set: number; label: number; runner: number; run: number; request: number; message: number }
}

export function createState(firstMessageId: number): State {
  return {
    scopes: new Map(),
    sets: new Map(),
    sessions: new Map(),
    jobs: new Map(),
    queue: new Set(),
    finished: new Set(),
    runners: new Map(),
    runnersByName: new Map(),
    ids: { set: 0, label: 0, runner: 0, run: 0, request: 0, message: firstMessageId - 1 },
  }
}

/** The scope of `kind:name`, made on first sight: every organization exists here. */
export function scopeOf(state: State, kind: ScopeKind, name: string): Scope {
  const id = `${kind}:${name}`
  const known = state.scopes.get(id)
  if (known) return known
  const key = kind === 'org' ? name : `${kind}.${name.replace('/', '.')}`
  const scope: Scope = { kind, name, key, groups: [{ id: 1, name: 'Default', isDefault: true }] }
  state.scopes.set(id, scope)
  return scope
}

/** Moves a job into one collection and out of the one it was in. */
export function place(job: Job, into: Set<Job>): void {
  job.place?.delete(job)
  into.add(job)
  job.place = into
}
