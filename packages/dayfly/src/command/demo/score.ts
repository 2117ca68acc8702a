// Counts the demo's jobs and runners from the forge's events and the controller's journal.
import type { JobReport } from '@dayfly/forge-emulators/job'
import type { Instant } from '@dayfly/kit/clock'
import type { Entry } from '@dayfly/runner-set/model/event'

type JobCounts = {
  /** All jobs of the demo, even those that are not queued yet. */
  readonly total: number
  readonly waiting: number
  readonly running: number
  readonly succeeded: number
  readonly failed: number
  readonly skipped: number
}

/** An event of a job at the forge. */
export type ScoredJob = {
  readonly kind: 'queued' | 'assigned' | 'started' | 'first-step' | 'finished'
  readonly id: string
  readonly name: string
  readonly at: Instant
  readonly times: {
    readonly queuedAt: Instant
    readonly startedAt?: Instant | undefined
    readonly finishedAt?: Instant | undefined
  }
  /** How often the job ran. */
  readonly runs: number
  readonly result: string | undefined
  readonly report: JobReport | undefined
}

type RunnerState = 'starting' | 'idle' | 'busy' | 'ending'

export type FinishedJob = {
  readonly id: string
  readonly name: string
  readonly result: string
  readonly ranMs: number | undefined
  readonly report: JobReport | undefined
}

export type Score = {
  readonly jobs: JobCounts
  readonly runners: Readonly<Record<RunnerState, number>>
  /** The number of runners registered so far. */
  readonly runnersMade: number
  readonly ranTwice: number
  /** Steps that this machine does not run: their actions are not supported. */
  readonly stepsSkipped: number
  /** The time from the queue to the first step of each job that reached it, in milliseconds. */
  readonly firstStepMs: readonly number[]
}

export interface Scorekeeper {
  /** Adds expected jobs to the total. */
  expect(jobs: number): void
  /** Counts a job that no runner got: it was skipped, or its definition failed. */
  neverRan(job: { readonly name: string; readonly isFailed: boolean; readonly note: string | undefined }): void
  job(jobEvent: ScoredJob): void
  journal(entry: Entry): void
  read(): Score
}

/** Creates a scorekeeper. @param onFinished called for each job that ends. */
export function scorekeeper(onFinished: (job: FinishedJob) => void): Scorekeeper {
  const counts = { total: 0, running: 0, succeeded: 0, failed: 0, skipped: 0 }
  const running = new Set<string>()
  const twice = new Set<string>()
  const firstStepMs: number[] = []
  let stepsSkipped = 0
  const runners = runnerStates()
  const finish = (jobEvent: ScoredJob) => {
    running.delete(jobEvent.id)
    if (jobEvent.result === 'succeeded') counts.succeeded++
    else if (jobEvent.result === 'skipped') counts.skipped++
    else counts.failed++
    const { id, name, result = 'unknown', report } = jobEvent
    // A step that an `if` left out has no note.
    stepsSkipped += (report?.steps ?? []).filter(({ conclusion, note }) => conclusion === 'skipped' && note).length
    onFinished({ id, name, result, ranMs: duration(jobEvent), report })
  }
  return {
    expect: (jobs) => {
      counts.total += jobs
    },
    neverRan: ({ name, isFailed, note }) => {
      if (isFailed) counts.failed++
      else counts.skipped++
      const report: JobReport = { conclusion: isFailed ? 'failure' : 'skipped', outputs: {}, steps: [], note }
      onFinished({ id: '', name, result: isFailed ? 'failed' : 'skipped', ranMs: undefined, report })
    },
    job: (jobEvent) => {
      if (jobEvent.runs > 1) twice.add(jobEvent.id)
      if (jobEvent.kind === 'started') running.add(jobEvent.id)
      else if (jobEvent.kind === 'first-step') firstStepMs.push(jobEvent.at - jobEvent.times.queuedAt)
      else if (jobEvent.kind === 'finished') finish(jobEvent)
    },
    journal: runners.apply,
    read: () => {
      const { total, succeeded, failed, skipped } = counts
      const waiting = Math.max(0, total - running.size - succeeded - failed - skipped)
      return {
        jobs: { total, waiting, running: running.size, succeeded, failed, skipped },
        runners: runners.counts(),
        runnersMade: runners.made(),
        ranTwice: twice.size,
        stepsSkipped,
        firstStepMs,
      }
    },
  }
}

function duration({ times }: ScoredJob): Instant | undefined {
  if (times.startedAt === undefined || times.finishedAt === undefined) return undefined
  return times.finishedAt - times.startedAt
}

function runnerStates() {
  const states = new Map<string, RunnerState>()
  const made = new Set<string>()
  const move = (runner: string, state: RunnerState) => {
    if (states.has(runner)) states.set(runner, state)
  }
  const apply = ({ event }: Entry): void => {
    if (event.kind === 'runner-registered') {
      made.add(event.runner)
      states.set(event.runner, 'starting')
    } else if (event.kind === 'runner-started') {
      if (states.get(event.runner) === 'starting') move(event.runner, 'idle')
    } else if (event.kind === 'job-started') move(event.runner, 'busy')
    else if (event.kind === 'job-finished' || event.kind === 'runner-ended') move(event.runner, 'ending')
    else if (event.kind === 'runner-gone' || event.kind === 'start-refused') states.delete(event.runner)
  }
  const counts = (): Record<RunnerState, number> => {
    const result = { starting: 0, idle: 0, busy: 0, ending: 0 }
    for (const state of states.values()) result[state]++
    return result
  }
  return { apply, counts, made: () => made.size }
}
