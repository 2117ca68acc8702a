// The state of the emulated Bitbucket: workspaces with repositories, runners, steps.
import type { Instant } from '../../lib/clock.ts'
import { uuid } from '../../lib/ids.ts'
import type { Random } from '../../lib/random.ts'

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

export type StepResult = 'SUCCESSFUL' | 'FAILED' | 'ERROR' | 'STOPPED'

export type StepSpec = {
  /** The slug of the repository whose pipeline has the step. */
  readonly repository: string
  readonly labels: readonly string[]
  /** How long it runs, in milliseconds; undefined: until the control finishes it. */
  readonly durationMs?: number | undefined
  /** Its result if it ends by itself. */
  readonly result?: StepResult | undefined
}

export type Step = {
  readonly uuid: string
  readonly spec: StepSpec
  readonly repository: Place
  state: 'PENDING' | 'READY' | 'IN_PROGRESS' | 'COMPLETED'
  runner: Runner | undefined
  result: StepResult | undefined
  /** Why it ended without a runner's report. */
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
