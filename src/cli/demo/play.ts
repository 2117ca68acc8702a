// Runs the scheduled workflows on the emulated forge and waits until they have ended.
import type { Control } from '../../emulator/github/control.ts'
import { runFacts } from '../../emulator/workflow/facts.ts'
import { feedRun, type JobQueue } from '../../emulator/workflow/feed.ts'
import { createRun, type JobOutcome, type RunConclusion } from '../../emulator/workflow/run.ts'
import type { Clock } from '../../lib/clock.ts'
import { aborted } from '../../lib/signals.ts'
import type { Input } from './input.ts'
import { countJobs } from './schedule.ts'
import type { Scorekeeper } from './score.ts'

export type PlayedRun = {
  readonly workflow: string
  readonly file: string
  readonly conclusion: RunConclusion
  readonly jobs: readonly JobOutcome[]
}

export type Stage = {
  readonly control: Pick<Control, 'queueJobs' | 'cancel' | 'onJob'>
  /** The label that sends every job to the demo's runners, independent of its `runs-on`. */
  readonly label: string
  readonly clock: Clock
  readonly score: Scorekeeper
}

type Finished = Parameters<Parameters<JobQueue['onFinished']>[0]>

/** Starts a run every `intervalMs` and resolves when all have ended. Rejects with the signal's reason if that comes first. */
export async function playRuns(
  runs: readonly Input[],
  intervalMs: number,
  stage: Stage,
  until: AbortSignal,
): Promise<readonly PlayedRun[]> {
  const { control, clock, score } = stage
  for (const { workflow } of runs) score.expect(countJobs(workflow))
  const owners = new Map<string, (...finished: Finished) => void>()
  const stop = control.onJob((jobEvent) => {
    score.job(jobEvent)
    if (jobEvent.kind !== 'finished' || !jobEvent.report) return
    const owner = owners.get(jobEvent.id)
    owners.delete(jobEvent.id)
    owner?.(jobEvent.id, jobEvent.report)
  })
  const halted = aborted(until).then(() => Promise.reject(until.reason))
  // If the runs end or fail first, no code waits for this promise. Without this line its rejection would be unhandled.
  halted.catch(() => {})
  try {
    const played: Promise<PlayedRun>[] = []
    for (const [index, input] of runs.entries()) {
      if (index > 0 && intervalMs > 0) await clock.sleep(intervalMs, until)
      played.push(play(input, index, stage, owners))
    }
    return await Promise.race([Promise.all(played), halted])
  } finally {
    stop()
  }
}

async function play(
  { workflow, checkout }: Input,
  index: number,
  { control, label, score }: Stage,
  owners: Map<string, (...finished: Finished) => void>,
): Promise<PlayedRun> {
  const runId = 1_000 + index
  const facts = runFacts(workflow, checkout, runId)
  let listener: (...finished: Finished) => void = () => {}
  const repository = String(facts.contexts.github['repository'])
  const queue: JobQueue = {
    queue: ({ name, message }) => {
      const spec = { labels: [label], name: `${workflow.name} / ${name}`, workflow: workflow.name, runId, message }
      const [owner = 'local', repositoryName = 'workflow'] = repository.split('/')
      const [queued] = control.queueJobs([{ ...spec, owner, repository: repositoryName }])
      owners.set(queued?.id ?? '', (...finished) => listener(...finished))
      return queued?.id ?? ''
    },
    cancel: (id) => void control.cancel(id),
    onFinished: (next) => {
      listener = next
      return () => {}
    },
  }
  const { conclusion, jobs } = await feedRun(createRun(workflow, facts), queue).done
  const neverRun = jobs.filter(({ report }) => report === undefined)
  score.expect(jobs.length - countJobs(workflow))
  score.skipped(neverRun.length)
  return { workflow: workflow.name, file: workflow.file, conclusion, jobs }
}
