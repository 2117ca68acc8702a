// The emulator's knobs and their defaults. A knob is a behaviour that the vendor does not document, or that a test changes
// (docs/reference/bitbucket.md#s7).
import * as z from 'zod'
import { type ChangeOf, changeKnobs, milliseconds, seconds } from '../server/knobs.ts'

export type Knobs = {
  /** The latency of every request: half before and half after the processing. */
  readonly latencyMs: number
  /** The calls that one user has in any 60 minutes; 0 for no limit. */
  readonly callsPerHour: number
  /** Whether a 429 states when the next call is allowed. */
  readonly statesRetryAfter: boolean
  /** How long an OAuth access token is valid. */
  readonly tokenTtlS: number
  /** The number of runners that a workspace holds, and a repository. */
  readonly runnersMax: number
  /** The most runners on one page of a list. */
  readonly pageMax: number
  /** A runner without a step asks for one in this interval. It also asks as soon as it comes online and as soon as a step ends. */
  readonly pickUpMs: number
  /** A runner whose process is gone is shown as online for this time. */
  readonly silentS: number
  /** A step on a runner whose process is gone ends after this time. */
  readonly stepLostS: number
  /** How long a step waits for a runner. */
  readonly queueMaxS: number
  /** The fate of a step when no runner with its labels is online. */
  readonly noRunner: 'fail' | 'queue'
  /** When the list shows a step: once the server has given it to a runner, or once the runner has asked for it. */
  readonly stepShown: 'assigned' | 'picked-up'
  /** Whether an idle runner has `step: null`, or no such member. */
  readonly stepNull: boolean
  /** The effect of `state` in a PUT of a runner at the public API. */
  readonly publicState: 'accepted' | 'ignored' | 'refused'
  /** Whether the API that the vendor's autoscaler uses, below `/internal`, exists. */
  readonly internalApi: boolean
  readonly createStatus: 200 | 201
}

const knobsSchema = z.strictObject({
  latencyMs: milliseconds,
  callsPerHour: z.number().int().nonnegative().max(1_000_000),
  statesRetryAfter: z.boolean(),
  tokenTtlS: seconds.min(1),
  runnersMax: z.number().int().positive().max(10_000),
  pageMax: z.number().int().positive().max(1_000),
  pickUpMs: milliseconds.min(1),
  silentS: seconds,
  stepLostS: seconds,
  queueMaxS: seconds,
  noRunner: z.enum(['fail', 'queue']),
  stepShown: z.enum(['assigned', 'picked-up']),
  stepNull: z.boolean(),
  publicState: z.enum(['accepted', 'ignored', 'refused']),
  internalApi: z.boolean(),
  createStatus: z.union([z.literal(200), z.literal(201)]),
})

/** The schema of a change of knobs over the control API. */
export const knobChangeSchema = knobsSchema.partial()

export type KnobChange = ChangeOf<Knobs>

export function knobsFrom(change: KnobChange = {}): Knobs {
  return changeKnobs(defaults, change)
}

const defaults: Knobs = {
  latencyMs: 0,
  callsPerHour: 1_000,
  statesRetryAfter: false,
  tokenTtlS: 7_200,
  runnersMax: 100,
  pageMax: 100,
  pickUpMs: 30_000,
  silentS: 60,
  stepLostS: 600,
  queueMaxS: 9_000,
  noRunner: 'fail',
  stepShown: 'picked-up',
  stepNull: false,
  publicState: 'ignored',
  internalApi: true,
  createStatus: 200,
}
