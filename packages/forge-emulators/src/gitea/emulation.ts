// The context that all parts of the emulator share: state, clock, randomness, webhooks, and the listeners of job events.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { Deadlines } from '../server/deadlines.ts'
import type { Knobs } from './config.ts'
import type { IdleStubs } from './idle-stubs.ts'
import type { Job, Result, Runner, State } from './state.ts'

/** An event of a job's lifecycle. */
export type JobEvent = {
  /** `queued`: the job is ready for a runner, also after a rerun. */
  readonly kind: 'queued' | 'started' | 'finished'
  readonly id: string
  readonly name: string
  /** The repository as `owner/name`. */
  readonly repository: string
  /** The name and the UUID of the runner that has or had the job. */
  readonly runner: string | undefined
  readonly runnerUuid: string | undefined
  /** How many tasks the runner has begun. */
  readonly tasks: number
  /** How often a runner has taken the job. */
  readonly attempt: number
  readonly at: Instant
  /** Set only for `finished`. */
  readonly result: Result | undefined
}

export type Emulation = {
  readonly clock: Clock
  readonly random: Random
  readonly deadlines: Deadlines
  readonly listeners: Set<(event: JobEvent) => void>
  /** Sends the deliveries of webhooks. */
  readonly deliver: Transport | undefined
  /** The tokens that are no longer valid. */
  readonly revoked: Set<string>
  /** The changes that `settle` has not seen: jobs that became ready, and runners that were enabled. */
  readonly unsettled: { readonly jobs: Set<Job>; readonly runners: Set<Runner> }
  readonly idleStubs: IdleStubs
  /** The address that the last client used, without a trailing slash. The links in webhooks begin with it. */
  origin: string
  knobs: Knobs
  state: State
  /** Returns the state of a new server. */
  readonly freshState: () => State
}

/** Sends an event about the job to all listeners. */
export function reportJob({ clock, listeners }: Emulation, kind: JobEvent['kind'], job: Job): void {
  if (listeners.size === 0) return
  const runner = job.task?.runner
  const event: JobEvent = {
    kind,
    id: String(job.id),
    name: job.plan.name,
    repository: `${job.run.repository.owner.name}/${job.run.repository.name}`,
    runner: runner?.name,
    runnerUuid: runner?.uuid,
    tasks: runner?.tasks ?? 0,
    attempt: job.attempt,
    at: clock.now(),
    result: kind === 'finished' ? resultOf(job) : undefined,
  }
  for (const listener of listeners) listener(event)
}

/** Returns the result of a job that has ended. */
export function resultOf({ status }: Pick<Job, 'status'>): Result | undefined {
  return status === 'waiting' || status === 'blocked' || status === 'running' || status === 'cancelling'
    ? undefined
    : status
}

/** The server stores times in whole seconds. */
export function stamp({ clock }: Pick<Emulation, 'clock'>): Instant {
  return Math.floor(clock.now() / 1_000) * 1_000
}
