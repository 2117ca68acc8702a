// The ports of the page: the process that it shows, and its past.
import type { Instant } from '@dayfly/kit/clock'
import type { Request } from '@dayfly/kit/http'
import type { Touched } from '../history/touched.ts'
import type { ContainerShown, EventShown, Found, TimelineStep } from '../model/details.ts'
import type { FailureGroup, Life, Mark, WaitingJob, Words } from '../model/life.ts'
import type { HealthLine, SetNow, UnservedNow } from '../model/set-now.ts'
import type { Costs, Trends, WindowName } from '../model/trends.ts'
import type { Scope } from './scope.ts'

/** The facts of the cluster about one runner. A part that is null could not be read, and `unknown` says why. */
export type RunnerFacts = {
  readonly sentences: readonly string[]
  readonly problem: Words | null
  readonly containers: readonly ContainerShown[] | null
  readonly events: readonly EventShown[] | null
  readonly scheduledAt: Instant | null
  readonly pulledAt: Instant | null
  readonly unknown: readonly string[]
  readonly hasLog: boolean
}

/** The sets now, and one runner. It reads what is in memory, but for `runner` and `log`. */
export interface PresentSource {
  readonly sets: () => readonly SetNow[]
  /** A viewer learns nothing of sets outside the scope. */
  readonly health: (scope: Scope) => readonly HealthLine[]
  /** The facts that this source cannot know, each a sentence. */
  readonly limits: readonly string[]
  readonly runner: (life: Life, signal: AbortSignal | undefined) => Promise<RunnerFacts>
  /** Follows the log of the runner's container. Undefined if it has none now. */
  readonly log: (life: Life, signal: AbortSignal) => AsyncIterable<string> | undefined
}

/** The present of the waiting jobs, within the scope. */
export type WaitingNow = {
  /** Returns why the jobs of a set wait; null while nothing holds them up. */
  readonly whyOf: (set: string) => string | null
  /** The jobs that no set can have. */
  readonly unserved: UnservedNow['jobs']
}

/** The lives, and what was. */
export interface PastSource {
  /** From when on it is complete; null if it never was. */
  readonly since: () => Instant | null
  /** Returns what changed or went since the last call. */
  readonly touched: () => Touched
  readonly lives: () => Iterable<Life>
  readonly jobs: () => Iterable<WaitingJob>
  readonly failures: () => Iterable<FailureGroup>
  readonly life: (id: string) => Life | undefined
  readonly job: (id: string) => WaitingJob | undefined
  readonly failure: (id: string) => FailureGroup | undefined
  readonly marks: () => readonly Mark[]
  readonly trends: (window: WindowName, scope: Scope) => Trends
  readonly costs: (window: WindowName, scope: Scope) => Costs
  readonly find: (query: string, scope: Scope, present: WaitingNow) => Found
  readonly timeline: (life: Life, facts: RunnerFacts) => readonly TimelineStep[]
}

/** The scope of a request, or why it has none. */
export type Admission =
  | { readonly is: 'admitted'; readonly scope: Scope }
  /** 401: no or a wrong identity. 403: an identity that may see nothing. 503: it cannot be checked now. */
  | { readonly is: 'refused'; readonly status: 401 | 403 | 503; readonly sentence: string; readonly next: string }

export type Gate = (request: Request) => Promise<Admission>

/** A file of the page. */
export type Asset = {
  readonly bytes: Uint8Array
  readonly gzip: Uint8Array | undefined
  readonly type: string
  /** Its name changes with its content. */
  readonly isHashed: boolean
}
