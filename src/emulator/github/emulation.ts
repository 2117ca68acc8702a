// What every part of the emulator works on: the state, its time and chance, and who is told of jobs.
import type { Clock, Instant } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import type { JobReport } from '../job.ts'
import type { Knobs } from './config.ts'
import type { Deadlines } from './deadlines.ts'
import type { Job, JobTimes, State } from './state.ts'
import type { Tokens } from './tokens.ts'

/** What happened to a job. */
export type JobEvent = {
  readonly kind: 'queued' | 'assigned' | 'started' | 'first-step' | 'finished'
  /** Stable over the job's attempts. */
  readonly id: string
  /** The attempt. */
  readonly jobId: string
  readonly name: string
  readonly labels: readonly string[]
  readonly runner: string | undefined
  readonly at: Instant
  readonly times: Readonly<JobTimes>
  /** More than 1: the job ran twice. */
  readonly runs: number
  /** The wire's word, for example `succeeded`; only when finished. */
  readonly result: string | undefined
  /** What the runner reported, or what stands for it when no runner did; only when finished. */
  readonly report: JobReport | undefined
}

export type Emulation = {
  readonly clock: Clock
  readonly random: Random
  readonly deadlines: Deadlines
  readonly tokens: Tokens
  readonly listeners: Set<(event: JobEvent) => void>
  knobs: Knobs
  state: State
}

export function tell(emulation: Emulation, kind: JobEvent['kind'], job: Job): void {
  const jobEvent: JobEvent = {
    kind,
    id: job.id,
    jobId: job.jobId,
    name: job.spec.name,
    labels: job.spec.labels,
    runner: job.runner?.name,
    at: emulation.clock.now(),
    times: { ...job.times },
    runs: job.runs,
    result: job.result,
    report: job.report,
  }
  for (const listener of emulation.listeners) listener(jobEvent)
}
