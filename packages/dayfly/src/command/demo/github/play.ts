// Runs the scheduled workflows on the emulated forge and waits until they have ended.
import type { Input } from '@dayfly/forge-emulators/command/input'
import { runFacts } from '@dayfly/forge-emulators/workflow/facts'
import { feedRun, type JobQueue } from '@dayfly/forge-emulators/workflow/feed'
import { createRun, type JobOutcome, type Run } from '@dayfly/forge-emulators/workflow/run'
import type { PlayedRun, PlayStage, Show } from '../forge.ts'
import { playRuns } from '../play-runs.ts'
import { countJobs } from '../schedule.ts'
import type { GitHubDemo } from './forge.ts'
import { openGitHub } from './forge.ts'

type Finished = Parameters<Parameters<JobQueue['onFinished']>[0]>

/** Runs these workflows. */
export function githubShow(runs: readonly Input[]): Show<GitHubDemo> {
  return {
    jobs: runs.reduce((sum, { workflow }) => sum + countJobs(workflow), 0),
    open: openGitHub,
    play: (forge, stage, until) => playWorkflows(runs, forge, stage, until),
    log: ({ control }, jobId) => control.job(jobId)?.log.lines ?? [],
    figures: () => ({}),
  }
}

async function playWorkflows(
  runs: readonly Input[],
  forge: GitHubDemo,
  stage: PlayStage,
  until: AbortSignal,
): Promise<readonly PlayedRun[]> {
  const { control } = forge
  const { score } = stage
  for (const { workflow } of runs) score.expect(countJobs(workflow))
  const owners = new Map<string, (...finished: Finished) => void>()
  const stop = control.onJob((jobEvent) => {
    score.job(jobEvent)
    if (jobEvent.kind !== 'finished' || !jobEvent.report) return
    const owner = owners.get(jobEvent.id)
    owners.delete(jobEvent.id)
    owner?.(jobEvent.id, jobEvent.report)
  })
  try {
    return await playRuns(runs, stage, until, (input, index) => play(input, index, { forge, score }, owners))
  } finally {
    stop()
  }
}

async function play(
  { workflow, checkout }: Input,
  index: number,
  { forge, score }: { readonly forge: GitHubDemo; readonly score: PlayStage['score'] },
  owners: Map<string, (...finished: Finished) => void>,
): Promise<PlayedRun> {
  const { control, label } = forge
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
  const run = createRun(workflow, facts)
  const count = counterOf(workflow, run, score)
  const { conclusion, jobs } = await feedRun(run, queue, count).done
  return { workflow: workflow.name, file: workflow.file, conclusion, jobs: jobs.map(playedJob) }
}

/** Returns a function that counts the jobs that became known, and those that ended without a runner. */
function counterOf(workflow: Input['workflow'], run: Run, score: PlayStage['score']): () => void {
  let known = countJobs(workflow)
  const counted = new Set<string>()
  return () => {
    score.expect(run.size() - known)
    known = run.size()
    for (const { key, name, conclusion, note, report } of run.outcomes()) {
      if (report !== undefined || counted.has(key)) continue
      counted.add(key)
      score.neverRan({ name: `${workflow.name} / ${name}`, isFailed: conclusion === 'failure', note })
    }
  }
}

function playedJob({ name, conclusion, note, report }: JobOutcome): PlayedRun['jobs'][number] {
  const steps = (report?.steps ?? []).map(({ name, conclusion, outcome }) => ({ name, conclusion, outcome }))
  return { name, conclusion, note: note ?? null, steps }
}
