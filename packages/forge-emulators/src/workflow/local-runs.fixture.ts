// Runs a workflow to its end in this process, with the real reader, state machine and runner, but without a forge.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { limit } from '@dayfly/kit/queue'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import type { JobReport, RunnerJob } from '../job.ts'
import { foldersOf, runnerContext } from '../runner/environment.ts'
import { createLog } from '../runner/log.ts'
import { createMask } from '../runner/mask.ts'
import { runJob } from '../runner/run-job.ts'
import { createStopper, type Stopper } from '../runner/stopper.ts'
import { workflowKind } from '../source/kind.ts'
import { checkSource } from '../source/source.ts'
import { runFacts } from './facts.ts'
import { feedRun, type JobQueue } from './feed.ts'
import type { ReadyJob } from './message.ts'
import { parseWorkflowSource } from './parse.ts'
import { createRun, type JobOutcome } from './run.ts'

export type LocalRun = {
  readonly conclusion: string
  readonly jobs: readonly JobOutcome[]
  /** `job: conclusion step=conclusion …` for each job, in the order of the file. */
  readonly summary: string
  /** The log lines of every job, in the order in which the jobs ended. */
  readonly log: readonly string[]
  /** The keys of the jobs in the order in which they ended. */
  readonly order: readonly string[]
}

/** Runs the workflow. @param cancelWhen cancels the run when a log line matches. */
export async function runLocally(text: string, options: { readonly cancelWhen?: RegExp } = {}): Promise<LocalRun> {
  const workflow = await parseWorkflowSource(checkSource('test.yml', Buffer.from(text), workflowKind))
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-run-'))
  const log: string[] = []
  const order: string[] = []
  const queue = localQueue(folder, {
    onLine: (line) => {
      log.push(line)
      if (options.cancelWhen?.test(line)) fed.cancel()
    },
    onEnd: (key) => order.push(key),
  })
  const fed = feedRun(createRun(workflow, runFacts(workflow, undefined, 1)), queue)
  try {
    const { conclusion, jobs } = await fed.done
    return { conclusion, jobs, summary: jobs.map(summarise).join('\n'), log, order }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function summarise({ key, name, conclusion, allowed, report }: JobOutcome): string {
  const steps = (report?.steps ?? []).map(({ id, conclusion, outcome }) => {
    const short = id.replace(/^__/, '')
    return `${short}=${outcome === conclusion ? conclusion : `${outcome}/${conclusion}`}`
  })
  const title = key.includes('/') ? name : key
  return [`${title}: ${conclusion}${allowed ? ' (allowed)' : ''}`, ...steps].join(' ')
}

function localQueue(
  folder: string,
  { onLine, onEnd }: { onLine(line: string): void; onEnd(key: string): void },
): JobQueue {
  const listeners = new Set<(id: string, report: JobReport) => void>()
  const stoppers = new Map<string, Stopper>()
  const slots = limit(2)
  const start = async (id: string, job: ReadyJob) => {
    const stopper = createStopper()
    stoppers.set(id, stopper)
    const report = await slots(() =>
      runOne({ ...job.message, jobId: id, runId: 1 }, path.join(folder, id), { stopper, onLine }),
    )
    onEnd(job.key)
    for (const listener of [...listeners]) listener(id, report)
  }
  let count = 0
  return {
    queue: (job) => {
      const id = `job-${++count}`
      void start(id, job)
      return id
    },
    cancel: (id) => stoppers.get(id)?.stop('cancelled'),
    onFinished: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

async function runOne(
  job: RunnerJob,
  work: string,
  { stopper, onLine }: { stopper: Stopper; onLine(line: string): void },
): Promise<JobReport> {
  const [clock, random, mask] = [systemClock(), systemRandom(), createMask()]
  const print = (text: string) => {
    onLine(text.replace(/\n$/, ''))
    return undefined
  }
  const log = createLog({ clock, mask, print, send: () => {}, behind: () => false })
  const folders = foldersOf(work, job)
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: work }
  const host = { clock, random, log, mask, stopper, folders, inherited, runner: runnerContext('local', folders) }
  const trackingId = `github_${job.jobId}_${work}`
  const report = await runJob(job, { ...host, trackingId, reportStep: () => {} })
  log.flush()
  return report
}
