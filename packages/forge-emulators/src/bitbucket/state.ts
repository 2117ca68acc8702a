// The state of the emulated Bitbucket: workspaces with repositories, runners, steps.
import type { Instant } from '@dayfly/kit/clock'
import { uuid } from '@dayfly/kit/ids'
import type { Random } from '@dayfly/kit/random'
import type { PipelineRun } from '../pipelines/feed.ts'
import type { KeptLog } from '../server/kept-log.ts'
import type { StepResult, StepSource } from '../step.ts'

/** A workspace or a repository: the place to which runners belong. UUIDs are stored without braces. */
export type Place = { readonly uuid: string; readonly slug: string; readonly workspace: Workspace | undefined }

export type Workspace = {
  readonly uuid: string
  readonly slug: string
  readonly workspace: undefined
  readonly repositories: readonly Place[]
}

/** The names of a workspace and of its repositories. */
export type EmulatedWorkspace = { readonly slug: string; readonly repositories: readonly string[] }

export type RunnerStatus = 'UNREGISTERED' | 'ONLINE' | 'OFFLINE' | 'DISABLED' | 'ENABLED' | 'UNHEALTHY'

export type Runner = {
  readonly uuid: string
  readonly place: Place
  readonly client: { readonly id: string; readonly secret: string }
  readonly createdAt: Instant
  name: string
  labels: readonly string[]
  updatedAt: Instant
  /** When its status or its step changed. */
  stateAt: Instant
  /** `silent`: the process is gone, but the server has not noticed. */
  process: 'none' | 'running' | 'silent' | 'gone'
  /** A timer of the emulator asks for its steps, or a real process over HTTP does. */
  driver: 'stub' | 'process'
  /** Cordoned: it finishes its step and gets no other. */
  disabled: boolean
  /** Enabled again, and not heard of since. */
  enabled: boolean
  unhealthy: boolean
  /** The step that the server gave it. It runs once the runner has asked for it. */
  step: Step | undefined
  /** How many steps it has begun. More than 1 is a runner that was used again. */
  steps: number
  /** Since when it has no step. */
  idleSince: Instant
}

export type StepSpec = {
  /** The slug of the repository whose pipeline has the step. */
  readonly repository: string
  readonly labels: readonly string[]
  readonly name?: string | undefined
  /** How long it runs on a stub runner, in milliseconds; undefined: until the control finishes it. */
  readonly durationMs?: number | undefined
  /** Its result if it ends by itself. */
  readonly result?: StepResult | undefined
  /** The commands that a process runs. Absent: it waits as long as a stub runner would. */
  readonly script?: readonly string[] | undefined
  readonly afterScript?: readonly string[] | undefined
  readonly maxTimeMinutes?: number | undefined
  readonly source?: StepSource | undefined
  /** Variables besides those of every step. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** The pipeline that it belongs to. Absent: it is the only step of its own pipeline. */
  readonly pipeline?: PipelineId | undefined
}

export type PipelineId = { readonly uuid: string; readonly buildNumber: number }

export type Step = {
  readonly uuid: string
  readonly spec: StepSpec
  readonly repository: Place
  readonly pipeline: PipelineId
  /** The output of its process. */
  readonly log: KeptLog
  state: 'PENDING' | 'READY' | 'IN_PROGRESS' | 'COMPLETED'
  runner: Runner | undefined
  result: StepResult | undefined
  /** Whether its process has reported anything since it started. */
  heard: boolean
  /** Why it failed or ended. */
  reason: string | undefined
  readonly times: { readonly queued: Instant; started: Instant | undefined; completed: Instant | undefined }
}

/** An OAuth access token. `credential` is the number of the credential that got it. */
export type IssuedToken = { readonly credential: number; readonly expiresAt: Instant }

export type State = {
  readonly workspaces: readonly Workspace[]
  /** By UUID, in the order of their creation. */
  readonly runners: Map<string, Runner>
  /** By UUID, in the order in which they were queued. */
  readonly steps: Map<string, Step>
  /** Steps that no runner has. */
  readonly waiting: Set<Step>
  /** By UUID, in the order in which they started. */
  readonly pipelines: Map<string, PipelineRun>
  /** How many pipelines have started. */
  builds: number
  readonly tokens: Map<string, IssuedToken>
  /** The times of each user's calls within the last hour. */
  readonly calls: Map<string, Instant[]>
}

export function createState(workspaces: readonly EmulatedWorkspace[], random: Random): State {
  return {
    workspaces: workspaces.map((names) => createWorkspace(names, random)),
    runners: new Map(),
    steps: new Map(),
    waiting: new Set(),
    pipelines: new Map(),
    builds: 0,
    tokens: new Map(),
    calls: new Map(),
  }
}

function createWorkspace({ slug, repositories }: EmulatedWorkspace, random: Random): Workspace {
  const members: Place[] = []
  const workspace: Workspace = { uuid: uuid(random), slug, workspace: undefined, repositories: members }
  for (const repository of repositories) members.push({ uuid: uuid(random), slug: repository, workspace })
  return workspace
}

/** Finds a workspace or a repository by its slug or its UUID in braces. */
export function placeNamed<T extends Place>(places: readonly T[], name: string): T | undefined {
  return places.find((place) => place.slug === name.toLowerCase() || `{${place.uuid}}` === name.toLowerCase())
}
