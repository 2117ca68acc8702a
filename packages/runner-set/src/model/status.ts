// The status sub-resource of a RunnerSet.
import type { CapacityReason } from './capacity.ts'
import type { FailureReason } from './failure.ts'
import type { UnservedJobs } from './forge-event.ts'
import type { RerunStatus } from './rerun.ts'
import type { RunnerVersionStatus } from './runner-version.ts'
import type { DemandDay } from './usual-demand.ts'

/** One condition in the conventions of the Kubernetes API. */
export type Condition = {
  /** Reconciling and Stalled are present only while they are true, as kstatus and Flux expect. RunnerVersionSupported: only at a forge that ends versions of its runner. */
  readonly type:
    | 'Ready'
    | 'TemplateAccepted'
    | 'ForgeConnected'
    | 'RunnerVersionSupported'
    | 'Degraded'
    | 'Reconciling'
    | 'Stalled'
  readonly status: 'True' | 'False' | 'Unknown'
  /** CamelCase. */
  readonly reason: string
  readonly message: string
  readonly observedGeneration: number
  /** When `status` last changed: an API timestamp. */
  readonly lastTransitionTime: string
}

/** The parts of a set that can have a problem. `blocked`: a failure that no new runner can avoid. `version`: the forge ends that of the runner. `stuck`: pods that do not end. `assignment`: how the forge gives jobs to runners. `rerun`: broken jobs cannot be repeated. `delayed` and `failing`: starts. */
export const problemKinds = [
  'template',
  'forge',
  'blocked',
  'settings',
  'version',
  'stuck',
  'assignment',
  'rerun',
  'delayed',
  'failing',
] as const

/** A problem of a set now. The table of failures has the sentence and the next step of its reason. */
export type SetProblem = {
  readonly kind: (typeof problemKinds)[number]
  readonly reason: FailureReason
  /** The observation. */
  readonly detail: string
}

/** A job that a runner of the set took. Times are API timestamps. */
export type JobRecord = {
  readonly id: string
  readonly name: string
  readonly repository: string
  /** The forge's id of its run. */
  readonly run?: string | undefined
  readonly runner: string
  readonly startedAt: string
  /** The forge's own word, for example `succeeded`; null while the job runs. */
  readonly result: string | null
  readonly finishedAt: string | null
}

/** An unknown count is null: unknown is not zero. */
export type SetStatus = {
  readonly observedGeneration: number
  readonly demand: number | null
  readonly idle: number | null
  readonly busy: number | null
  readonly pending: number | null
  readonly failed: number | null
  /** Jobs of runners that had a job before: their cordon came too late. 0 at a forge that ends its runners after one job. */
  readonly lateJobs: number
  /** How often Dayfly asks the forge for its demand; null while it does not ask, and at a forge that reports by itself. */
  readonly pollSeconds: number | null
  /** How many idle runners the set keeps now. */
  readonly min: number
  /** The window of its schedule that says so, and until when; null outside of all windows. */
  readonly minReason: string | null
  /** How many runners this hour usually needs, busy ones included, and when that was so; null if the set does not ask for it. */
  readonly usual: number | null
  readonly usualReason: string | null
  /** The demand of the last weeks, the newest day first; null likewise. */
  readonly demandDays: readonly DemandDay[] | null
  /** How many runners are announced to a forge that gives the set jobs at once; null while none is, and at another forge. */
  readonly announced: number | null
  /** Why that is below the maximum, and what was observed; null if it is not. */
  readonly announcedReason: CapacityReason | null
  readonly announcedDetail: string | null
  /** Null while it is unknown. */
  readonly runnerVersion: RunnerVersionStatus | null
  readonly lastReason: FailureReason | null
  readonly lastMessage: string | null
  /** The most urgent one first. */
  readonly problems: readonly SetProblem[]
  /** The jobs of the account that wait and whose labels no set has. One set of the account shows them; null at the others. */
  readonly unserved: UnservedJobs | null
  /** The jobs that runners took last, the newest first: nothing else in the cluster records which runner took which job. */
  readonly jobs: readonly JobRecord[]
  /** Broken jobs that are not settled yet; null while there are none. */
  readonly rerun: RerunStatus | null
  readonly conditions: readonly Condition[]
}
