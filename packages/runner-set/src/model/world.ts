// One set as a tick sees it: plain and small, so that the same world gives the same decision and a tick costs what happened.
import type { Instant } from '@dayfly/kit/clock'
import type { SetAction } from './action.ts'
import type { Capacity } from './capacity.ts'
import type { Demand } from './demand.ts'
import type { Failure, LastingFailure } from './failure.ts'
import type { UnservedJobs } from './forge-event.ts'
import type { LateEvents } from './late-events.ts'
import type { PoolMember } from './pool.ts'
import type { PodUse, Quotas } from './quota.ts'
import type { AskKey, Reruns } from './rerun.ts'
import type { Counts, Reading, Registration, Runner } from './runner.ts'
import type { RunnerSet } from './runner-set.ts'
import type { RunnerVersion } from './runner-version.ts'
import type { Minimum } from './schedule.ts'
import type { Condition, JobRecord, SetStatus } from './status.ts'
import type { Unassigned } from './unassigned.ts'
import type { DemandDay, UsualNeed } from './usual-demand.ts'

/** The verdict of the API server and of our own rules on the template with this hash. */
export type TemplateVerdict =
  /** `warnings`: hazards that the set's `templateChecks: warn` allows. */
  | {
      readonly is: 'accepted'
      readonly hash: string
      readonly warnings: readonly Failure[]
      readonly use: PodUse
      readonly at: Instant
      /** Undefined if no refusal came before, or enough pods were created since. */
      readonly caution?: Caution | undefined
    }
  /** `refusals`: in a row. */
  | {
      readonly is: 'refused'
      readonly hash: string
      readonly failure: Failure
      readonly at: Instant
      readonly refusals: number
    }

/** The API server refused pods before, for example because of a quota. `atOnce`: so many starts may wait for its response; each pod that it creates allows one more. */
export type Caution = { readonly failure: Failure; readonly refusals: number; readonly atOnce: number }

/** `countedAt`: the time of the jobs that it counts, if they are older than the reading. */
export type DemandReading = Reading<Demand> & { readonly countedAt?: Instant }

/** A runner that is gone but whose job the demand may still count. */
export type Departed = {
  readonly name: string
  readonly at: Instant
  /** The forge announced a job on it: where the demand counts waiting jobs, it no longer counts this one. */
  readonly hadJob: boolean
  /** Its job was announced, and nothing shows its end. */
  readonly jobOpen: boolean
  /** It ended with exit code 0: it has reported the end of its job to the forge, also if the forge's event is lost. */
  readonly endedWell: boolean
}

/** A registration without a living runner. It must be removed at the forge later. */
export type PendingRemoval = {
  readonly registration: Registration
  readonly dueAt: Instant
  /** Its runner ended well without a known job. If a list after `dueAt` still has the registration, the runner left too early. */
  readonly early: boolean
  /** The forge counts it as busy until its lease is over. A list shows that sooner, for all such runners at once. */
  readonly busy: boolean
  readonly underway: boolean
  readonly failures: number
}

/** One runner as a strategy of cycles counts it. Busy and idle ones are online. */
export type FleetRunner = {
  readonly name: string
  readonly is: 'starting' | 'idle' | 'busy' | 'cordoned'
  readonly createdAt: Instant
}

/** The failures of a set's runners. An empty history after a restart is safe. */
export type History = {
  readonly last: (Failure & { readonly at: Instant; readonly runner: string | undefined }) | undefined
  /** Runners that failed to start, or to get a job, without a success between. */
  readonly failuresInARow: number
  /** The same, where runners that were already starting at the failure before count as one round. */
  readonly rounds: number
  /** The last failure that counts. */
  readonly failedAt: Instant
  /** No start before this. */
  readonly retryAt: Instant | undefined
  /** A failure that no new runner can avoid: no start until the set changes. */
  readonly blocked: Failure | undefined
  /** Whether a runner of the present template was started, and whether one has come online. */
  readonly proof: 'untried' | 'tried' | 'proved'
  /** How many runners left by themselves without a job, when the last one did, and until when no idle spare is started for that. A few are forgotten as others get jobs. */
  readonly left: { readonly runners: number; readonly at: Instant; readonly retryAt: Instant | undefined }
}

/** The runners that a set needs, compared with those that live: they start, wait for a job or have one. */
export type Need = {
  readonly wanted: number
  readonly living: number
  /** Runners that are gone and whose jobs the demand still counts. They leave none missing. */
  readonly covered: number
  /** Runners to start, if above 0. */
  readonly missing: number
  /** Runners that are too many, if above 0. */
  readonly surplus: number
}

/** Runners whose start or end is held up for long enough to be shown. */
export type Delays = { readonly count: number; readonly oldest: LastingFailure }

/** A call of the set's own that failed: its number of failures in a row, and when it may be repeated. */
export type RetryState = { readonly failures: number; readonly retryAt: Instant }

/** The calls that have a back-off of their own. */
export type RetryKey = SetAction['kind'] | 'register' | AskKey

export type SetWorld = {
  readonly set: RunnerSet
  /** How many idle runners the set keeps now, by its schedule. */
  readonly minimum: Minimum
  /** The usual need of this hour; undefined if the set does not ask for it. */
  readonly usual: UsualNeed | undefined
  /** The demand of the last weeks. */
  readonly demandDays: readonly DemandDay[]
  /** The hash of the set's present template. */
  readonly templateHash: string
  readonly template: TemplateVerdict | undefined
  readonly demand: DemandReading
  /** The runners as a strategy of cycles counts them; undefined without one, or while they are unknown. */
  readonly fleet: readonly FleetRunner[] | undefined
  /** The reading of the demand for which such a strategy decided last, by its time. */
  readonly scaledBy: Instant
  /** When a job event or a change of demand was last seen. */
  readonly quietSince: Instant
  /** Unknown before the first complete list of pods, and while the watch of pods is down. */
  readonly counts: Reading<Counts>
  /** Runners that changed or are due. Runners with an action under way are left out until it is over. */
  readonly attention: readonly Runner[]
  /** Undefined while the demand or the counts are unknown, and with a strategy of cycles. */
  readonly need: Need | undefined
  /** Jobs that wait although runners are online; undefined while there are none. */
  readonly unassigned: Unassigned | undefined
  /** The last event that arrived late although the set was connected; undefined after one in time. */
  readonly late: LateEvents | undefined
  /** Runners that may be ended because they are too many: without a job and without an end under way, in the order of their ends. */
  readonly surplus: readonly Runner[]
  readonly departed: readonly Departed[]
  readonly pendingRemovals: readonly PendingRemoval[]
  readonly history: History
  readonly delays: Delays | undefined
  /** Starts within a long step that the operator configured: an init container, or a startup probe. */
  readonly underWay: Delays | undefined
  /** The jobs that runners took last, the newest first. */
  readonly jobs: readonly JobRecord[]
  /** Jobs that started on a runner that had run one. */
  readonly lateJobs: number
  readonly reruns: Reruns
  /** Only people see it: nothing is decided by it. */
  readonly unserved: UnservedJobs | undefined
  /** Runners whose end is proved stuck and that still exist. */
  readonly stuck: Delays | undefined
  /** Registrations that the account allows now, and when it allows more. */
  readonly allowance: {
    readonly now: number
    readonly nextAt: Instant | undefined
    /** The time between two polls of the forge; absent at a forge that sends its events at once. */
    readonly pollMs?: number
  }
  readonly quotas: Quotas
  /** The set and the others of its pool; undefined without one. */
  readonly pool: { readonly me: PoolMember; readonly others: readonly PoolMember[] } | undefined
  /** The runners that the set announced at the last decision. */
  readonly capacity: Capacity
  /** Runners that have waited for a node for long enough to be shown. */
  readonly unplaced: Delays | undefined
  /** Idle runners that will be replaced, and the one that goes next; undefined while one goes. */
  readonly outdated: { readonly count: number; readonly next: Runner | undefined }
  /** A problem of the link to the forge, until demand is known again. */
  readonly forgeFailure: (Failure & { readonly since: Instant }) | undefined
  /** A difference between the set and the forge's record of it. */
  readonly settingsFailure: Failure | undefined
  /** The version of the set's runner; undefined while it is not known. */
  readonly runnerVersion: RunnerVersion | undefined
  /** The last complete list of registrations; undefined before the first. */
  readonly registrationsAt: Instant | undefined
  /** When a pod of the set last gave its room free: it ended, or is gone. */
  readonly freedAt: Instant | undefined
  /** When the last runner left; undefined if none has left since the start of the process. */
  readonly leftAt: Instant | undefined
  /** A registration may exist that no response has confirmed. */
  readonly registrationsDoubtful: boolean
  /** Actions of the set itself that are under way. */
  readonly underway: Readonly<Record<SetAction['kind'], boolean>>
  readonly retries: Readonly<Partial<Record<RetryKey, RetryState>>>
  /** The status that was written last, and when; the status is undefined after a failed write. */
  readonly reported: { readonly status: SetStatus | undefined; readonly at: Instant } | undefined
  /** The conditions as they were last decided, for the times of their transitions. */
  readonly conditions: readonly Condition[]
}
