// The emulator's knobs, their defaults, and the bounds on what it keeps.
import { z } from 'zod'

export type Knobs = {
  /** `hosted`: jobs arrive assigned, as on github.com. `legacy`: jobs are offered and acquired, as on GHES. */
  readonly mode: 'hosted' | 'legacy'
  /** Added to every request of the forge, half on the way in and half on the way out. */
  readonly latencyMs: number
  /** How long a poll without news is held. */
  readonly longPollMs: number
  readonly adminTtlS: number
  readonly queueTtlS: number
  /** Whether refreshing a session ends the old queue token at once, or leaves it to its own `exp`. */
  readonly revokeOnRefresh: boolean
  /** A session that has not polled for so long may be replaced. */
  readonly sessionIdleS: number
  /** How long the first attempt of an assigned job waits for a runner; the second waits twice as long, and so on. */
  readonly assignmentLeaseS: number
  readonly maxAttempts: number
  /** How long a running job lives after the last word of its runner. */
  readonly jobLeaseS: number
  /** A connected runner that has said nothing for so long is offline. */
  readonly runnerIdleS: number
  /** A runner that has been offline for so long loses its registration. */
  readonly runnerOfflineS: number
  /** A running job that is cancelled ends by then at the latest. */
  readonly cancelS: number
  readonly batchMax: number
  readonly firstMessageId: number
  /** A job queued while every matching session announces 0: lost to them for ever, or kept for later. */
  readonly zeroCapacity: 'trapdoor' | 'defer'
  /** `RunnerSetting` or `runnerSetting`. */
  readonly keyCase: 'go' | 'camel'
  readonly bom: boolean
  readonly zeroTimes: 'year1' | 'null' | 'absent'
  readonly labelTypeCase: 'lower' | 'as-sent'
  readonly createStatus: 200 | 201
  /** The answer to the acknowledgement of a message that is not there. */
  readonly unknownMessage: 204 | 404
  /** How long a registration outlives its job. */
  readonly registrationDelayMs: number
  readonly completedDelayMs: number
  readonly completedDropped: boolean
}

export const limits = {
  /** Finished jobs that are remembered, with their logs. */
  finishedJobs: 500,
  loggedRequests: 5_000,
  logLines: 1_000,
  logBytes: 64 * 1024,
  jobsPerRequest: 10_000,
  registrationTtlS: 3_600,
  /** A scale set that nobody has used for so long is deleted. */
  scaleSetUnusedMs: 7 * 24 * 3_600_000,
  offerRepeatMs: 60_000,
} as const

// Longer waits than a timer of the machine can take make no sense here.
const milliseconds = z.number().int().nonnegative().max(1_000_000_000)
const seconds = z.number().int().nonnegative().max(500_000)
const count = z.number().int().positive().max(1_000_000_000)

const knobsSchema = z.strictObject({
  mode: z.enum(['hosted', 'legacy']),
  latencyMs: milliseconds,
  longPollMs: milliseconds,
  adminTtlS: seconds,
  queueTtlS: seconds,
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
  registrationDelayMs: milliseconds,
  completedDelayMs: milliseconds,
  completedDropped: z.boolean(),
})

/** What a change of knobs may look like when it comes from outside. */
export const knobChangeSchema = knobsSchema.partial()

export type KnobChange = { readonly [Name in keyof Knobs]?: Knobs[Name] | undefined }

/** The defaults of the scale-set protocol 19.4 with the given changes. */
export function knobsFrom(change: KnobChange = {}): Knobs {
  return changeKnobs({ ...defaults, firstMessageId: change.mode === 'legacy' ? 1 : defaults.firstMessageId }, change)
}

export function changeKnobs(knobs: Knobs, change: KnobChange): Knobs {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return { ...knobs, ...given }
}

const defaults: Knobs = {
  mode: 'hosted',
  latencyMs: 0,
  longPollMs: 50_000,
  adminTtlS: 3_600,
  queueTtlS: 3_600,
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
  registrationDelayMs: 0,
  completedDelayMs: 0,
  completedDropped: false,
}
