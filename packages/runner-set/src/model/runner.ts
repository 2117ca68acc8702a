// A runner: one life, with the facts that are known of it.
import type { Instant } from '@dayfly/kit/clock'
import type { EndCause } from './end-cause.ts'
import type { Failure, LastingFailure, StartCause } from './failure.ts'

/** A value from outside, or the fact that it is unknown. `at` is when the request was sent, so a response never looks fresher than it is. */
export type Reading<T> =
  | { readonly known: true; readonly value: T; readonly at: Instant }
  | { readonly known: false; readonly since: Instant; readonly why: string }

/** One fact about one runner. `absent` needs a complete response without it. A failed, partial or too old response is `unknown`. */
export type Fact<T> =
  | { readonly is: 'present'; readonly value: T; readonly at: Instant }
  | { readonly is: 'absent'; readonly at: Instant }
  | { readonly is: 'unknown'; readonly since: Instant }

/** The pod of a runner. `requested`: about to be created, or created without a response. A pod that is gone has no entry: the runner is removed from the state. */
export type PodFact =
  | { readonly is: 'present'; readonly value: PodFacts; readonly at: Instant }
  | { readonly is: 'requested'; readonly since: Instant }

/** How the runner container ended. Exit code 0 alone proves nothing. */
export type ContainerEnd = {
  readonly exitCode: number
  /** Kubernetes' reason: `Completed`, `Error`, `OOMKilled`, `StartError`, … For a pod without a container, its own reason and message. */
  readonly reason: string
  /** The pod's creation if the cluster names no time. */
  readonly at: Instant
  /** Another container of the pod that exceeded its memory limit. */
  readonly killedHelper?: string | undefined
}

/** The few fields of a pod that decide about a runner's life. */
export type PodFacts = {
  readonly uid: string
  readonly resourceVersion: string
  readonly createdAt: Instant
  /** The last step that its start made: created, scheduled, sandbox ready, initialized, a container that began or ended. */
  readonly progressedAt: Instant
  readonly node: string | undefined
  /** When the runner container started; undefined before that. */
  readonly startedAt: Instant | undefined
  /** How the runner container ended, or the pod before the container could start; undefined while it may run. */
  readonly end: ContainerEnd | undefined
  /** The eviction, preemption, shutdown, deadline or refusal that ended the pod, or is about to. `since` is the pod's creation if the cluster names no time. */
  readonly disrupted: LastingFailure | undefined
  /** Whether every container of the pod has ended (phase Succeeded or Failed), so that it occupies no node. */
  readonly finished: boolean
  readonly startFailure: StartCause | undefined
  /** A container beside the runner that the kubelet restarts again and again; undefined while none does. */
  readonly helperCrash: LastingFailure | undefined
  /** Since when the node of a running pod does not respond; undefined while it does. */
  readonly nodeSilentSince: Instant | undefined
  /** When the grace period of the requested deletion ends; undefined without a deletion. */
  readonly deletionDeadline: Instant | undefined
  /** The registration for which the pod was made, from its annotation. */
  readonly registrationId: string | undefined
  /** The hash of the template from which the pod was made, from its annotation. */
  readonly templateHash: string | undefined
}

/** The forge's record of a runner. */
export type Registration = {
  readonly id: string
  readonly name: string
  /** `unknown` if the forge does not report it. */
  readonly status: 'online' | 'offline' | 'unknown'
  readonly busy: boolean | 'unknown'
  /** The forge gives the runner no further job. Absent at a forge that has no cordon. */
  readonly isCordoned?: boolean
}

/** A job as the forge announced it on a runner. */
export type JobRef = {
  readonly id: string
  readonly name: string
  readonly repository: string
  /** The forge's id of its run; absent where the forge does not say it. */
  readonly run?: string | undefined
  readonly startedAt: Instant
  readonly finished: { readonly result: string; readonly at: Instant } | undefined
}

/** The response of the forge to a deregistration, in one word. `unasked`: there is no response yet. `refused`: the forge did not do it, or did not respond. */
export type DeregisterAnswer = 'unasked' | 'removed' | 'absent' | 'busy' | 'refused'

/** An end that Dayfly has decided on and that is not over. The runner is no capacity, but occupies its place. */
export type Ending = {
  readonly because: EndCause
  readonly answer: DeregisterAnswer
  /** Failed attempts in a row, and when the next one may be made. */
  readonly failures: number
  readonly retryAt: Instant | undefined
}

export type Runner = {
  /** The name of the pod, the Secret and the registration. Dayfly never uses it twice. */
  readonly name: string
  readonly pod: PodFact
  /** From the last complete list of the forge that could have held it, or from our own registration. */
  readonly registration: Fact<Registration>
  /** The first complete list without the registration after it was registered. */
  readonly registrationMissingSince: Instant | undefined
  /** Announced by the forge. A restart may lose it, and nothing dangerous depends on it. */
  readonly job: JobRef | undefined
  readonly ending: Ending | undefined
  /** The cordon of the busy runner failed, and when it may be repeated. */
  readonly cordonRetry: { readonly failures: number; readonly retryAt: Instant } | undefined
  /** We have asked for the deletion of its pod: the end of its container is no failure. */
  readonly deleted: boolean
  /** The start failed after the pod was created, or perhaps created. The runner must be ended. */
  readonly broken: Failure | undefined
  /** `unknown`: another process created the pod, and perhaps not the Secret. */
  readonly secret: 'written' | 'unknown' | 'absent'
  /** The response to the POST of the pod was lost. It must be looked up. If the pod exists, the look-up of its Secret failed. */
  readonly lookUp: { readonly failures: number; readonly retryAt: Instant | undefined } | undefined
  /** The cause of a slow start, from the cluster's Events, and when it was last looked up. */
  readonly explained: StartCause | undefined
  readonly explainedAt: Instant | undefined
  /** The delay that is shown on the set; undefined while none is. */
  readonly delay: LastingFailure | undefined
  /** Why its end is proved stuck: it counts no longer against `max`. Undefined while it is not. */
  readonly stuck: LastingFailure | undefined
  /** It is older than its set allows an idle runner to be, or of an earlier template: it is replaced while it is idle. */
  readonly outdated: boolean
}

/** The phase of a runner. `phaseOf` derives it from the facts; it is never stored.
 *  `starting`: requested or created, and the forge has not seen the runner online. `idle`: it is online and has no job; at a forge that does not report that, its container runs.
 *  `spent`: it had its job, gets none, or its end has begun; it still lives, and is no capacity. `ended`: the runner container has terminated. */
export type Phase = 'starting' | 'idle' | 'busy' | 'spent' | 'ended'

export const phases: readonly Phase[] = ['starting', 'idle', 'busy', 'spent', 'ended']

export type Counts = Readonly<Record<Phase, number>> & {
  /** Runners that count against `max`: all whose pod may still run a container and is not proved stuck. */
  readonly occupied: number
  /** Runners that start, or run and have not been seen online: their start may still fail. */
  readonly unproved: number
  /** Runners whose pod is about to be created, or was created without a response. */
  readonly requested: number
}
