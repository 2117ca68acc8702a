// The context that all parts of the emulator share: state, clock, randomness, and the listeners of job events.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { JobReport } from '../job.ts'
import type { Deadlines } from '../server/deadlines.ts'
import type { Installation } from './apps.ts'
import type { Knobs } from './config.ts'
import type { RestBudgets } from './rest-budget.ts'
import type { Job, JobTimes, State } from './state.ts'
import type { Tokens } from './tokens.ts'

/** An event of a job's lifecycle. */
export type JobEvent = {
  readonly kind: 'queued' | 'assigned' | 'started' | 'first-step' | 'finished'
  /** The job's id, the same over all attempts. */
  readonly id: string
  readonly name: string
  readonly runId: number
  /** The id of the job of an earlier attempt of the run that this one runs again. */
  readonly repeats: string | undefined
  readonly runner: string | undefined
  readonly at: Instant
  readonly times: Readonly<JobTimes>
  /** How often the job ran. More than 1 is an error: the job ran twice. */
  readonly runs: number
  /** The result in the protocol's words, for example `succeeded`. Set only for `finished`. */
  readonly result: string | undefined
  /** The runner's report, or the emulator's own report if no runner sent one. Set only for `finished`. */
  readonly report: JobReport | undefined
}

export type Emulation = {
  readonly clock: Clock
  readonly random: Random
  readonly deadlines: Deadlines
  readonly tokens: Tokens
  readonly listeners: Set<(event: JobEvent) => void>
  /** The installations by their id. They live as long as the emulator, as the budgets do. */
  readonly installations: Map<number, Installation>
  readonly budgets: RestBudgets
  knobs: Knobs
  state: State
}

/** Sends an event about the job to all listeners. */
export function reportJob(emulation: Emulation, kind: JobEvent['kind'], job: Job): void {
  const jobEvent: JobEvent = {
    kind,
    id: job.id,
    name: job.spec.name,
    runId: job.runId,
    repeats: job.repeats,

    runner: job.runner?.name,
    at: emulation.clock.now(),
    times: { ...job.times },
    runs: job.runs,
    result: job.result,
    report: job.report,
  }
  for (const listener of emulation.listeners) listener(jobEvent)
}
