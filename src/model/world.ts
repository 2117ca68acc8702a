// One set as a tick sees it: plain and small, so that the same world gives the same decision and a tick costs what happened.
import type { Instant } from '../lib/clock.ts'
import type { Demand } from './demand.ts'
import type { Failure } from './failure.ts'
import type { Counts, Reading, Registration, Runner } from './runner.ts'
import type { RunnerSet } from './runner-set.ts'
import type { SetStatus } from './status.ts'

/** What the API server and our own rules said of the template with this hash. */
export type TemplateVerdict =
  | { readonly is: 'accepted'; readonly hash: string; readonly at: Instant }
  | { readonly is: 'refused'; readonly hash: string; readonly failure: Failure; readonly at: Instant }

/** A runner that is gone but whose job may still be counted in the demand we know. */
export type Departed = {
  readonly name: string
  readonly at: Instant
  /** A job was announced on it and its end was not. */
  readonly jobOpen: boolean
}

/** A registration without a living runner, to be removed at the forge. */
export type Debt = {
  readonly registration: Registration
  readonly dueAt: Instant
  /** Its runner ended well without a known job: if the registration still stands, it left too early. */
  readonly early: boolean
}

/** What went wrong lately; empty after a restart is safe. */
export type History = {
  readonly last: (Failure & { readonly at: Instant; readonly runner: string | undefined }) | undefined
  /** Runners that failed to start or to get a job, without a success between. */
  readonly failuresInARow: number
  /** No start before this. */
  readonly retryAt: Instant | undefined
}

export type SetWorld = {
  readonly set: RunnerSet
  /** The hash of the set's present template. */
  readonly templateHash: string
  readonly template: Reading<TemplateVerdict>
  readonly demand: Reading<Demand>
  /** When a job event or a change of demand was last seen. */
  readonly quietSince: Instant
  /** Kept by the caches; runners that were asked for and are in no watch yet count as `starting`. */
  readonly counts: Reading<Counts>
  /** Changed, or due. Runners with an action under way are left out until it is over. */
  readonly attention: readonly Runner[]
  /** Idle ones, oldest first, as many as could be too many. */
  readonly surplus: readonly Runner[]
  readonly departed: readonly Departed[]
  readonly debts: readonly Debt[]
  readonly history: History
  /** Registrations that the account allows now, and when more. */
  readonly allowance: { readonly now: number; readonly nextAt: Instant | undefined }
  /** A problem of the link to the forge, until demand is known again. */
  readonly forgeFailure: (Failure & { readonly since: Instant }) | undefined
  /** The last complete answer of the forge about registrations; undefined before the first. */
  readonly registrationsAt: Instant | undefined
  /** A registration may exist of which no answer told. */
  readonly registrationsDoubtful: boolean
  /** Actions of the set itself that are under way. */
  readonly underway: { readonly checkTemplate: boolean; readonly askRegistrations: boolean; readonly report: boolean }
  /** What was written last, and when; the status is undefined when the write failed. */
  readonly reported: { readonly status: SetStatus | undefined; readonly at: Instant } | undefined
  /** What the forge wants remembered. */
  readonly forgeState: Readonly<Record<string, string>>
}
