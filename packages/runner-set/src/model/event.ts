// The journal's one union of events. The log, Kubernetes Events, metrics, screens and checkers read nothing else.
import type { Instant } from '@dayfly/kit/clock'
import type { Demand } from './demand.ts'
import type { Failure } from './failure.ts'
import type { NamedJob } from './forge-event.ts'
import { type BreakCause, breakCauses, type NotRepeated } from './rerun.ts'

type OfBroken = { readonly job: string; readonly repository: string; readonly run: string; readonly cause: BreakCause }

type OfSet = { readonly namespace: string; readonly set: string }
type OfRunner = OfSet & { readonly runner: string }

/** Why the cluster fails a call of the process itself: `installation` needs an operator, `outage` passes by itself. */
export type ClusterFault = 'installation' | 'outage'

export type JournalEvent =
  | { readonly kind: 'controller-started'; readonly identity: string }
  | { readonly kind: 'leadership-gained'; readonly identity: string }
  /** `planned`: the process stops. */
  | {
      readonly kind: 'leadership-lost'
      readonly identity: string
      readonly why: string
      readonly planned: boolean
    }
  /** The Lease cannot be read or written. Written once for each message. */
  | { readonly kind: 'election-failed'; readonly message: string; readonly by: ClusterFault }
  | { readonly kind: 'election-recovered' }
  /** The API server cannot be used yet: the process waits and tries again. */
  | { readonly kind: 'cluster-unavailable'; readonly message: string }
  /** The watch of a kind is broken. Written once for each message. */
  | {
      readonly kind: 'watch-failed'
      readonly resource: string
      readonly message: string
      readonly by: ClusterFault
    }
  | { readonly kind: 'watch-recovered'; readonly resource: string; readonly objects: number | undefined }
  | { readonly kind: 'health-listening'; readonly address: string }
  | { readonly kind: 'dashboard-listening'; readonly address: string }
  | { readonly kind: 'webhooks-listening'; readonly address: string }
  /** The past of the page cannot be read or kept. */
  | { readonly kind: 'history-failed'; readonly message: string }
  /** The collector of OpenTelemetry does not take traces or metrics. Written at most once a minute for each. */
  | { readonly kind: 'telemetry-failed'; readonly message: string }
  | { readonly kind: 'controller-stopping'; readonly why: string }
  /** The bound of an orderly end was reached. Another process finds what was left under way. */
  | { readonly kind: 'stop-cut-short'; readonly afterMs: number }
  | { readonly kind: 'controller-stopped'; readonly identity: string }
  | (OfSet & { readonly kind: 'set-added' })
  | (OfSet & { readonly kind: 'set-changed'; readonly paused: boolean })
  | (OfSet & { readonly kind: 'set-removed' })
  /** A deleted set has nothing at its forge any more; the forge failed before. */
  | (OfSet & { readonly kind: 'records-removed' })
  | (OfSet & { readonly kind: 'records-left' })
  /** The RunnerSet of one of its sizes was made, changed or ended. */
  | (OfSet & {
      readonly kind: 'size-applied'
      readonly size: string
      readonly did: 'create' | 'change' | 'adopt' | 'drain' | 'delete'
    })
  | (OfSet & { readonly kind: 'size-failed'; readonly size: string; readonly failure: Failure })
  /** The pod of a job has no labels for cost tools. */
  | (OfSet & { readonly kind: 'cost-labels-failed'; readonly failure: Failure })
  | (OfSet & { readonly kind: 'set-invalid'; readonly problems: readonly string[] })
  | (OfSet & { readonly kind: 'demand-changed'; readonly demand: Demand })
  /** A job waits for a runner. It may be written twice. */
  | (OfSet & { readonly kind: 'job-waits'; readonly job: NamedJob; readonly queuedAt: Instant })
  /** A job ended that no runner had. */
  | (OfSet & { readonly kind: 'job-dropped'; readonly job: string; readonly result: string })
  | (OfSet & { readonly kind: 'template-accepted'; readonly hash: string })
  | (OfSet & { readonly kind: 'template-refused'; readonly hash: string; readonly failure: Failure })
  | (OfSet & { readonly kind: 'forge-connected' })
  | (OfSet & { readonly kind: 'forge-failed'; readonly failure: Failure })
  /** The Secret with the forge's credential changed; the set connects with the new one. */
  | (OfSet & { readonly kind: 'credential-changed' })
  /** The forge did something against its protocol that Dayfly could tolerate. */
  | { readonly kind: 'protocol-anomaly'; readonly set: string; readonly anomaly: string; readonly message: string }
  | (OfRunner & {
      readonly kind: 'runner-registered'
      readonly registration: string
      /** How long ago the set decided to start the runner; undefined if this process did not decide it. */
      readonly requestedMs?: number | undefined
    })
  | (OfRunner & { readonly kind: 'pod-created'; readonly uid: string })
  | (OfRunner & {
      readonly kind: 'runner-started'
      readonly node: string | undefined
      /** From the pod's creation to the container's start; undefined if this process did not see the pod before. */
      readonly startMs: number | undefined
    })
  /** The forge sees the runner online for the first time. A runner that gets a job at once may have none. */
  | (OfRunner & { readonly kind: 'runner-online' })
  | (OfRunner & {
      readonly kind: 'job-started'
      readonly job: NamedJob
      readonly queuedMs: number | undefined
      /** Whether it waited no longer than the set's objective allows; absent without an objective or a known wait. */
      readonly objective?: 'kept' | 'missed'
    })
  /** The runner had a job before: its cordon came too late. */
  | (OfRunner & { readonly kind: 'job-late'; readonly job: string })
  /** The pod of the job does not start, or ended before its job. @param pod its name */
  | (OfRunner & { readonly kind: 'job-pod-failed'; readonly pod: string; readonly failure: Failure })
  /** The forge calls the job a success, but its pod had ended before: steps may have been cut off. */
  | (OfRunner & { readonly kind: 'job-doubtful'; readonly job: string; readonly failure: Failure })
  /** The infrastructure broke the job, and the forge runs it again. @param job its name */
  | (OfRunner & OfBroken & { readonly kind: 'job-repeated' })
  | (OfRunner & OfBroken & { readonly kind: 'job-not-repeated'; readonly why: NotRepeated })
  | (OfRunner & { readonly kind: 'runner-cordoned' })
  | (OfRunner & { readonly kind: 'cordon-failed'; readonly failure: Failure })
  | (OfRunner & { readonly kind: 'job-finished'; readonly job: string; readonly result: string })
  | (OfRunner & { readonly kind: 'runner-ended'; readonly exitCode: number; readonly reason: string })
  /** The runner has not started yet, and still may. */
  | (OfRunner & { readonly kind: 'runner-delayed'; readonly failure: Failure; readonly since: Instant })
  | (OfRunner & { readonly kind: 'runner-failed'; readonly failure: Failure })
  | (OfRunner & { readonly kind: 'runner-gone'; readonly because: string })
  | (OfRunner & {
      readonly kind: 'start-refused'
      readonly failure: Failure
      /** How long ago the set decided to start the runner. */
      readonly requestedMs?: number | undefined
    })
  /** The end of the runner's version comes near, or is past. Written once for each step. */
  | (OfSet & { readonly kind: 'runner-version-ends'; readonly failure: Failure })
  /** Runners wait until the forge allows another registration. */
  | (OfSet & { readonly kind: 'registrations-limited'; readonly until: Instant })
  | (OfSet & { readonly kind: 'registration-dropped'; readonly name: string })
  | (OfSet & { readonly kind: 'registration-kept'; readonly name: string; readonly failure: Failure })
  | (OfSet & { readonly kind: 'write-failed'; readonly action: string; readonly message: string })

/** An event with the time at which the journal received it. */
export type Entry = { readonly at: Instant; readonly event: JournalEvent }

/** The operator's next step after a late job. */
export const lateJobNext = 'If this happens often, spread the sets over more credentials: then Dayfly lists more often.'

/** Says what a doubtful job is. */
export function doubtOf(runner: string): string {
  return `The job of runner ${runner} is called a success, but its pod had ended before. Run the job again.`
}

type Rerun = Extract<JournalEvent, { readonly kind: 'job-repeated' | 'job-not-repeated' }>

/** Says what happened to a broken job. */
export function rerunText(event: Rerun): string {
  const { job, repository, run, cause } = event
  const what = `${breakCauses[cause].sentence}: job ${job} of run ${run} in ${repository}`
  return event.kind === 'job-repeated' ? `${what} is repeated.` : `${what} is not repeated (${event.why}).`
}
