// The emulator's knobs and their defaults. The defaults are those of Gitea, of its settings and of its official runner.
import * as z from 'zod'
import { type ChangeOf, changeKnobs, milliseconds } from '../server/knobs.ts'
import { type DialectName, dialectNames } from './dialect.ts'

export type Knobs = {
  /** The latency of every request: half before and half after the processing. */
  readonly latencyMs: number
  /** The product and its version. */
  readonly dialect: DialectName
  /** The path of `ROOT_URL`, for example `/git`. The API and the runner protocol lie below it. */
  readonly rootPath: string
  /** The most entries on one page (`MAX_RESPONSE_ITEMS`). A larger limit is cut without an error. */
  readonly pageMax: number
  /** The entries on a page without a limit (`DEFAULT_PAGING_NUM`). */
  readonly pageDefault: number
  /** A runner is online for this time after its last call. */
  readonly onlineMs: number
  /** A runner shows as busy for this time after its last report. */
  readonly busyMs: number
  /** A task fails after this time without a report, at the next run of its cron task (`ZOMBIE_TASK_TIMEOUT`). */
  readonly zombieMs: number
  /** A task fails after this time, at the next run of its cron task (`ENDLESS_TASK_TIMEOUT`). */
  readonly endlessMs: number
  /** A job that no runner takes is cancelled after this time, at the next run of its cron task (`ABANDONED_JOB_TIMEOUT`). */
  readonly abandonedMs: number
  /** A stub runner without a task asks for one in this interval, and as soon as it comes online. 0: it takes each job at once. */
  readonly pickUpMs: number
  /** A call for a task takes up to this time: one that began before the runner was disabled may still get a task. */
  readonly fetchMs: number
  /** A stub runner reports about its task in this interval. 0: it never reports. */
  readonly reportMs: number
}

const knobsSchema = z.strictObject({
  latencyMs: milliseconds,
  dialect: z.enum(dialectNames),
  rootPath: z.string().regex(/^(\/[\w.-]+)*$/),
  pageMax: z.number().int().positive().max(1_000),
  pageDefault: z.number().int().positive().max(1_000),
  onlineMs: milliseconds,
  busyMs: milliseconds,
  zombieMs: milliseconds,
  endlessMs: milliseconds,
  abandonedMs: milliseconds,
  pickUpMs: milliseconds,
  fetchMs: milliseconds,
  reportMs: milliseconds,
})

/** The schema of a change of knobs over the control API. */
export const knobChangeSchema = knobsSchema.partial()

export type KnobChange = ChangeOf<Knobs>

export function knobsFrom(change: KnobChange = {}): Knobs {
  return changeKnobs(defaults, change)
}

const defaults: Knobs = {
  latencyMs: 0,
  dialect: 'gitea-1.26',
  rootPath: '',
  pageMax: 50,
  pageDefault: 30,
  onlineMs: 60_000,
  busyMs: 10_000,
  zombieMs: 600_000,
  endlessMs: 10_800_000,
  abandonedMs: 86_400_000,
  pickUpMs: 2_000,
  fetchMs: 0,
  reportMs: 5_000,
}
