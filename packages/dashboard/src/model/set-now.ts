// One set, and the whole installation, as the page shows them now.
import type { Instant } from '@dayfly/kit/clock'
import type { Words } from './life.ts'

/** Runners by phase. `failed`: failures in a row. */
export type RunnerCounts = {
  readonly starting: number
  readonly idle: number
  readonly busy: number
  readonly ending: number
}

export type ConditionShown = {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly since: Instant | null
}

/** The forge's own numbers of the set's runners. */
export type ForgeNumbers = {
  readonly registered: number
  readonly busy: number | null
  readonly at: Instant
}

/** Jobs of an account that wait and whose labels no set has. `jobs`: the oldest ones. */
export type UnservedNow = {
  readonly count: number
  readonly jobs: readonly {
    readonly id: string
    readonly name: string
    readonly repository: string
    /** Why it waits. */
    readonly sentence: string
  }[]
}

export type SetNow = {
  /** `namespace/name` */
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly forge: string
  /** The address of the account or repository at the forge. */
  readonly url: string
  readonly labels: readonly string[]
  readonly paused: boolean
  readonly deleting: boolean
  readonly min: number
  readonly max: number
  /** Jobs that wait or run, as the forge counts them. */
  readonly demand: number | null
  /** Runners that the set should have. */
  readonly wanted: number | null
  /** Whether the forge shows the jobs that wait. Bitbucket does not: there `waiting` is always null, and no fault. */
  readonly hasQueue: boolean
  /** Whether its spec is valid. If not, the controller does nothing for it, and nobody counts its jobs and runners. */
  readonly isValid: boolean
  /** Jobs that have no runner yet. */
  readonly waiting: number | null
  readonly counts: RunnerCounts | null
  readonly failuresInARow: number | null
  /** Since when a job has waited without a pause; null while none waits, or if it is unknown. */
  readonly waitingSince: Instant | null
  /** When the oldest known waiting job was queued. */
  readonly oldestQueuedAt: Instant | null
  /** Why waiting jobs have no runner yet: one sentence; null while nothing holds them up. */
  readonly why: string | null
  /** When the next start can be tried, where that can be derived. */
  readonly nextStartAt: Instant | null
  /** The most urgent one first. */
  readonly problems: readonly Words[]
  readonly conditions: readonly ConditionShown[]
  readonly forgeNumbers: ForgeNumbers | null
  /** A difference between our numbers and the forge's that has lasted for over two minutes. */
  readonly difference: { readonly since: Instant; readonly sentence: string } | null
  /** One set of an account has these; null at the others, and if there is none. */
  readonly unserved: UnservedNow | null
  /** The objective of the queue time, in milliseconds. */
  readonly objectiveMs: number | null
  /** When these values were last confirmed, if they are old. Null while they are current: an unknown value is null itself. */
  readonly oldSince: Instant | null
}

/** Returns the problems that have happened. */
export function faultsOf({ problems }: Pick<SetNow, 'problems'>): readonly Words[] {
  return problems.filter(({ ahead }) => !ahead)
}

/** Red only where an operator can act. */
export type HealthLine = {
  readonly name: string
  readonly is: 'ok' | 'warning' | 'failed' | 'unknown'
  readonly detail: string
}

/** The numbers of all valid sets. `invalid` counts the other sets. */
export type Totals = {
  readonly invalid: number
  readonly waiting: number | null
  readonly running: number | null
  readonly starting: number | null
  readonly idle: number | null
  /** How long the job that waits longest has waited; null if none waits or it is unknown. */
  readonly longestWaitMs: number | null
}

export type Head = {
  /** The first line: what waits and why, and what is wrong. */
  readonly sentence: string
  readonly tone: 'calm' | 'waiting' | 'wrong'
  readonly totals: Totals
  readonly health: readonly HealthLine[]
  /** From when on the history is complete. */
  readonly since: Instant
  /** The facts that this server cannot know, each a sentence. */
  readonly limits: readonly string[]
  /** The version of Dayfly. */
  readonly version: string
}
