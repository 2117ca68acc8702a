// A runner: one life, as far as we know it.
import type { Instant } from '../lib/clock.ts'
import type { Failure } from './failure.ts'

/** What we know of something outside, or that we do not. `at` is when the question was sent, so an answer never looks fresher than it is. */
export type Reading<T> =
  | { readonly known: true; readonly value: T; readonly at: Instant }
  | { readonly known: false; readonly since: Instant; readonly why: string }

/** One fact of one runner. `absent` needs a complete answer without it; a failed, partial or too old answer is `unknown`. */
export type Fact<T> =
  | { readonly is: 'present'; readonly value: T; readonly at: Instant }
  | { readonly is: 'absent'; readonly at: Instant }
  | { readonly is: 'unknown'; readonly since: Instant }

/** How the runner container ended. `signal` where the runtime says so; exit code 0 proves nothing by itself. */
export type ContainerEnd = {
  readonly exitCode: number
  /** Kubernetes' reason: `Completed`, `Error`, `OOMKilled`, `StartError`, … */
  readonly reason: string
  readonly at: Instant
}

/** A failure that can be read from a pod, and since when. */
export type StartFailure = Failure & { readonly since: Instant }

/** The few fields of a pod that decide a runner's life. */
export type PodFacts = {
  readonly uid: string
  readonly resourceVersion: string
  readonly createdAt: Instant
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  readonly node: string | undefined
  /** When the runner container started, if it did. */
  readonly startedAt: Instant | undefined
  /** How the runner container, or the pod before it could start, ended; undefined while it may run. */
  readonly end: ContainerEnd | undefined
  readonly startFailure: StartFailure | undefined
  /** The deadline of the deletion under way, if any. */
  readonly deletionDeadline: Instant | undefined
  /** The hash of the template it was made from, and the registration it was made for. */
  readonly templateHash: string
  readonly registrationId: string | undefined
}

/** The forge's record of a runner. */
export type Registration = {
  readonly id: string
  readonly name: string
  /** Unknown where the forge does not tell. */
  readonly status: 'online' | 'offline' | 'unknown'
  readonly busy: boolean | 'unknown'
}

/** A job as the forge announced it on a runner. */
export type JobRef = {
  readonly id: string
  readonly name: string
  readonly repository: string
  readonly startedAt: Instant
  readonly finished: { readonly result: string; readonly at: Instant } | undefined
}

export type Runner = {
  /** The pod's, the Secret's and the registration's name; never used twice. */
  readonly name: string
  readonly pod: Fact<PodFacts>
  /** The last complete answer of the forge that could have held it. */
  readonly registration: Fact<Registration>
  /** When the forge first answered completely without it after it was registered. */
  readonly registrationMissingSince: Instant | undefined
  /** Announced by the forge; may be lost by a restart: nothing dangerous rests on it. */
  readonly job: JobRef | undefined
  /** We have asked for the deletion of its pod: its end is no failure. */
  readonly ending: boolean
  /** The cause of a slow start, looked up in the cluster's events. */
  readonly explained: StartFailure | undefined
  /** When the cause was last asked for. */
  readonly explainedAt: Instant | undefined
}

/** Derived from the facts, never stored. `starting`: asked for or created, the runner container has not started. `idle`: it runs and no job is known.
 *  `spent`: has had its job, or was cordoned, and still lives; never capacity. `ended`: the runner container has terminated. `lost`: gone without an end. */
export type Phase = 'starting' | 'idle' | 'busy' | 'spent' | 'ended' | 'lost'

export const phases: readonly Phase[] = ['starting', 'idle', 'busy', 'spent', 'ended', 'lost']

export type Counts = Readonly<Record<Phase, number>>
