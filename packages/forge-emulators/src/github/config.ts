// The emulator's knobs, their defaults, and the bounds on what it keeps.
import * as z from 'zod'
import { type ChangeOf, changeKnobs, milliseconds, seconds } from '../server/knobs.ts'

export const outages = ['none', 'assigns-nothing', 'removes-idle', 'queue-delayed', 'fails'] as const
export type Outage = (typeof outages)[number]
/** The permissions of a repository that broken jobs need. */
const permissions = ['actions:read', 'actions:write', 'checks:read', 'checks:write', 'statuses:write'] as const
export type Permission = (typeof permissions)[number]
/** API timestamps; null while no end is planned. */
export type VersionEnds = { readonly runtime: string | null; readonly registration: string | null }

export type Knobs = {
  /** `hosted`: jobs arrive assigned, as on github.com. `legacy`: jobs are offered and acquired, as on GHES. */
  readonly mode: 'hosted' | 'legacy'
  /** The latency of every request: half before and half after the processing. */
  readonly latencyMs: number
  /** How long a poll without a message is held. */
  readonly longPollMs: number
  readonly installationTtlS: number
  readonly adminTtlS: number
  readonly queueTtlS: number
  /** The requests to the REST API that a credential has in an hour; 0 for no limit, as on GHES by default. */
  readonly restBudget: number
  /** The permissions that no credential has. */
  readonly denied: readonly Permission[]
  /** The path of the Actions service before `/tenant`, for example `/_services/pipelines` as on GHES. */
  readonly servicePath: string
  /** Whether a session refresh revokes the old queue token at once, or leaves it valid until its `exp`. */
  readonly revokeOnRefresh: boolean
  /** A session without a poll for this time expires: another client may then open one. */
  readonly sessionIdleS: number
  /** How long the first attempt of an assigned job waits for a runner. The second waits twice as long, and so on. */
  readonly assignmentLeaseS: number
  readonly maxAttempts: number
  /** How long a running job lives after the last report of its runner. */
  readonly jobLeaseS: number
  /** A connected runner without a request for this time is offline. */
  readonly runnerIdleS: number
  /** A runner that is offline for this time loses its registration. */
  readonly runnerOfflineS: number
  /** The maximum time from the cancellation of a running job to its end. */
  readonly cancelS: number
  readonly batchMax: number
  readonly firstMessageId: number
  /** The fate of a job that is queued while every matching session announces 0: `trapdoor` never assigns it, `defer` assigns it later. */
  readonly zeroCapacity: 'trapdoor' | 'defer'
  /** The case of the member: `RunnerSetting` (go) or `runnerSetting` (camel). */
  readonly keyCase: 'go' | 'camel'
  readonly bom: boolean
  readonly zeroTimes: 'year1' | 'null' | 'absent'
  readonly labelTypeCase: 'lower' | 'as-sent'
  readonly createStatus: 200 | 201
  /** The response to the acknowledgement of an unknown message. */
  readonly unknownMessage: 204 | 404
  /**
   * `assigns-nothing`: jobs wait, and online runners get none. `removes-idle`: an idle runner loses its registration after `idleLifeS` or up to
   * three times as long. `queue-delayed`: each job message arrives `queueDelayS` late. `fails`: every call except those of runners gets 503, and no job is assigned.
   */
  readonly outage: Outage
  /** Runner issue 4726 names two to six minutes. */
  readonly idleLifeS: number
  readonly queueDelayS: number
  /** The end of each version of the runner that the REST API knows. */
  readonly versionEnds: Readonly<Record<string, VersionEnds>>
  /** The lowest version of the runner that may register; empty for none, as on GHES. */
  readonly minimumVersion: string
  /** The treatment of a runner whose version has ended. `refused`: it gets an error, and ends. `silent`: it stays online and gets no job. */
  readonly endedVersions: 'refused' | 'silent'
  /** How long a registration exists after the end of its job. */
  readonly registrationDelayMs: number
  readonly completedDelayMs: number
  readonly completedDropped: boolean
}

export const limits = {
  /** The number of finished jobs that are kept, with their logs. */
  finishedJobs: 500,
  jobsPerRequest: 10_000,
  registrationTtlS: 3_600,
  /** A scale set without a request for this time is deleted. */
  scaleSetUnusedMs: 7 * 24 * 3_600_000,
  offerRepeatMs: 60_000,
} as const

const count = z.number().int().positive().max(1_000_000_000)

const time = z.iso.datetime().nullable().default(null)

const knobsSchema = z.strictObject({
  mode: z.enum(['hosted', 'legacy']),
  latencyMs: milliseconds,
  longPollMs: milliseconds,
  installationTtlS: seconds,
  adminTtlS: seconds,
  queueTtlS: seconds,
  restBudget: z.number().int().nonnegative().max(1_000_000),
  denied: z.array(z.enum(permissions)),
  servicePath: z.string().regex(/^(?:\/[\w-]+)*$/),
  revokeOnRefresh: z.boolean(),
  sessionIdleS: seconds,
  assignmentLeaseS: seconds,
  maxAttempts: count,
  jobLeaseS: seconds,
  runnerIdleS: seconds,
  runnerOfflineS: seconds,
  cancelS: seconds,
  batchMax: count,
  firstMessageId: count,
  zeroCapacity: z.enum(['trapdoor', 'defer']),
  keyCase: z.enum(['go', 'camel']),
  bom: z.boolean(),
  zeroTimes: z.enum(['year1', 'null', 'absent']),
  labelTypeCase: z.enum(['lower', 'as-sent']),
  createStatus: z.union([z.literal(200), z.literal(201)]),
  unknownMessage: z.union([z.literal(204), z.literal(404)]),
  outage: z.enum(outages),
  idleLifeS: seconds.min(1),
  queueDelayS: seconds,
  versionEnds: z.record(z.string().max(64), z.strictObject({ runtime: time, registration: time })),
  minimumVersion: z.string().max(64),
  endedVersions: z.enum(['refused', 'silent']),
  registrationDelayMs: milliseconds,
  completedDelayMs: milliseconds,
  completedDropped: z.boolean(),
})

/** The schema of a change of knobs over the control API. */
export const knobChangeSchema = knobsSchema.partial()

export type KnobChange = ChangeOf<Knobs>

/** Returns the defaults (docs/reference/scale-set-protocol.md#s19-4) with the given changes. */
export function knobsFrom(change: KnobChange = {}): Knobs {
  const ofMode = change.mode === 'legacy' ? { firstMessageId: 1, restBudget: 0, minimumVersion: '' } : {}
  return changeKnobs({ ...defaults, ...ofMode }, change)
}

const defaults: Knobs = {
  mode: 'hosted',
  latencyMs: 0,
  longPollMs: 50_000,
  installationTtlS: 3_600,
  adminTtlS: 3_600,
  queueTtlS: 3_600,
  restBudget: 5_000,
  denied: [],
  servicePath: '',
  revokeOnRefresh: false,
  sessionIdleS: 60,
  assignmentLeaseS: 300,
  maxAttempts: 3,
  jobLeaseS: 600,
  runnerIdleS: 120,
  runnerOfflineS: 24 * 3_600,
  cancelS: 300,
  batchMax: 50,
  firstMessageId: 100_000_001,
  zeroCapacity: 'trapdoor',
  keyCase: 'go',
  bom: false,
  zeroTimes: 'year1',
  labelTypeCase: 'lower',
  createStatus: 200,
  unknownMessage: 204,
  outage: 'none',
  idleLifeS: 120,
  queueDelayS: 600,
  versionEnds: {},
  minimumVersion: '2.329.0',
  endedVersions: 'refused',
  registrationDelayMs: 0,
  completedDelayMs: 0,
  completedDropped: false,
}
