// Connects a run to a forge: queues ready jobs, passes on cancellations, and takes the reports.
import type { JobReport } from '../job.ts'
import type { ReadyJob } from './message.ts'
import type { JobOutcome, Run, RunConclusion } from './run.ts'

/** The part of a forge that a run needs. */
export interface JobQueue {
  /** Queues a job. Returns an id that stays the same over all attempts. */
  queue(job: ReadyJob): string
  /** Cancels a job in any state. Its report follows like any other. */
  cancel(id: string): void
  /** Calls the listener for each job that has ended, including jobs of other runs. Returns a function that unsubscribes it. */
  onFinished(listener: (id: string, report: JobReport) => void): () => void
}

export type RunResult = {
  readonly conclusion: RunConclusion
  readonly jobs: readonly JobOutcome[]
}

export interface FedRun {
  /** Resolves when every job has ended; never rejects. */
  readonly done: Promise<RunResult>
  cancel(): void
}

/** Starts to feed the run's jobs to the queue. @param advanced is called whenever jobs may have become known, or have ended */
export function feedRun(run: Run, queue: JobQueue, advanced: () => void = () => {}): FedRun {
  const keys = new Map<string, string>()
  const ids = new Map<string, string>()
  let finish: (result: RunResult) => void = () => {}
  const done = new Promise<RunResult>((resolve) => {
    finish = resolve
  })
  const stop = queue.onFinished((id, report) => {
    const key = keys.get(id)
    if (key === undefined) return
    run.complete(key, report)
    advance()
  })
  const advance = () => {
    for (const job of run.ready()) {
      const id = queue.queue(job)
      keys.set(id, job.key)
      ids.set(job.key, id)
    }
    for (const key of run.cancellations()) {
      const id = ids.get(key)
      if (id !== undefined) queue.cancel(id)
    }
    advanced()
    const conclusion = run.conclusion()
    if (!conclusion) return
    stop()
    finish({ conclusion, jobs: run.outcomes() })
  }
  advance()
  return {
    done,
    cancel: () => {
      run.cancel()
      advance()
    },
  }
}
