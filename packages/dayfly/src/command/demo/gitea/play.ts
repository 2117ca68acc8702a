// Runs the scheduled workflows on the emulated Gitea and waits until they have ended.
import type { Control } from '@dayfly/forge-emulators/gitea/control'
import type { JobEvent } from '@dayfly/forge-emulators/gitea/emulation'
import type { Result } from '@dayfly/forge-emulators/gitea/state'
import type { JobReport } from '@dayfly/forge-emulators/job'
import type { PlayedRun, PlayStage, Show } from '../forge.ts'
import { playRuns } from '../play-runs.ts'
import type { ScoredJob } from '../score.ts'
import { type GiteaDemo, openGitea } from './forge.ts'
import { labelsOfSets, type PlannedInput } from './jobs.ts'

/** Runs these workflows. */
export function giteaShow(runs: readonly PlannedInput[]): Show<GiteaDemo> {
  const repositories = [...new Set(runs.map(repositoryOf))]
  const labels = labelsOfSets(runs.flatMap(({ plans }) => plans))
  return {
    jobs: runs.reduce((sum, { plans }) => sum + plans.length, 0),
    open: (options) => openGitea(options, { repositories, labels }),
    play: (forge, stage, until) => playWorkflows(runs, forge, stage, until),
    log: ({ control }, jobId) => control.jobLog(jobId).map(textOf),
    figures: (forge) => ({ apiCalls: forge.apiCalls() }),
  }
}

/** Gitea's names have only these characters, and folders of this machine may have others. */
function repositoryOf({ checkout }: PlannedInput): string {
  const [owner = '', name = ''] = (checkout?.name ?? 'local/workflow').split('/')
  return `${owner}/${name.replace(/[^\w.-]/g, '-')}`.toLowerCase()
}

/** A line of the log begins with its time. */
function textOf(line: string): string {
  return line.slice(line.indexOf(' ') + 1)
}

async function playWorkflows(
  runs: readonly PlannedInput[],
  { control }: GiteaDemo,
  stage: PlayStage,
  until: AbortSignal,
): Promise<readonly PlayedRun[]> {
  const { score } = stage
  const known = new Map<string, KnownJob>()
  const starts = new Map<string, Pick<ScoredJob['times'], 'queuedAt' | 'startedAt'>>()
  for (const { plans } of runs) score.expect(plans.length)
  const stop = control.onJob((event) => {
    const { kind, id, at } = event
    if (kind === 'queued') starts.set(id, { queuedAt: at })
    const times = { queuedAt: at, ...starts.get(id), ...(kind === 'started' ? { startedAt: at } : {}) }
    starts.set(id, times)
    const { title = '', actions = [] } = known.get(id) ?? {}
    const name = `${title} / ${event.name}`
    if (kind === 'finished' && event.runner === undefined) score.neverRan({ name, ...endWithoutRunner(event) })
    else
      for (const scored of scoredEvents(event, times, (result) => reportOf(control, id, result, actions)))
        score.job({ ...scored, name })
  })
  try {
    return await playRuns(runs, stage, until, async (input) => {
      const { workflow, checkout } = input
      const run = control.runWorkflow(workflow, { repository: repositoryOf(input), checkout })
      for (const [index, { id }] of run.jobs().entries()) {
        known.set(id, { title: workflow.name, actions: actionsOf(input, index) })
      }
      const result = await run.done
      const jobs = run.jobs().map(({ id, name }) => playedJob(control, id, name))
      return { workflow: workflow.name, file: workflow.file, conclusion: conclusionOf(result), jobs }
    })
  } finally {
    stop()
  }
}

/** The facts about a job that its events lack. */
type KnownJob = { readonly title: string; readonly actions: Actions }

/** As on GitHub, a run without a failure is a success, also if it skipped every job. */
function conclusionOf(result: Result): string {
  return result === 'skipped' ? 'success' : result
}

function endWithoutRunner({ result }: JobEvent): { readonly isFailed: boolean; readonly note: string | undefined } {
  if (result === 'skipped') return { isFailed: false, note: undefined }
  return { isFailed: true, note: 'It was cancelled before a runner took it.' }
}

const results: Readonly<Record<Result, string>> = {
  success: 'succeeded',
  failure: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
}

/** A runner that has taken a job begins its first step at once. */
function scoredEvents(
  { kind, id, name, at, attempt, result }: JobEvent,
  starts: Pick<ScoredJob['times'], 'queuedAt' | 'startedAt'>,
  report: (result: Result) => JobReport,
): readonly ScoredJob[] {
  const scored: ScoredJob = {
    ...{ kind, id, name, at, runs: attempt },
    times: { ...starts, finishedAt: kind === 'finished' ? at : undefined },
    result: result && results[result],
    report: result && report(result),
  }
  return kind === 'started' ? [scored, { ...scored, kind: 'first-step' }] : [scored]
}

/** Returns what the server knows of the job's steps. A job that its condition skipped shows none. */
function reportOf(control: Control, id: string, conclusion: Result, actions: Actions): JobReport {
  const steps = conclusion === 'skipped' ? [] : (control.job(id)?.steps ?? [])
  return {
    conclusion,
    outputs: {},
    steps: steps.map(({ name, result = conclusion }, index) => {
      const action = result === 'skipped' ? actions[index] : undefined
      const note = action === undefined ? undefined : `The action ${action} is not supported.`
      const times = { startedAt: undefined, finishedAt: undefined }
      return { id: String(index), name, conclusion: result, outcome: result, ...times, note }
    }),
    note: undefined,
  }
}

/** The actions of a job's steps that the small runner does not run; undefined for every other step. */
type Actions = readonly (string | undefined)[]

function actionsOf({ workflow, plans }: PlannedInput, index: number): Actions {
  const steps = workflow.jobs.find(({ key }) => key === plans[index]?.key)?.steps ?? []
  return steps.map((step) => (step.kind === 'unsupported' ? step.uses : undefined))
}

function playedJob(control: Control, id: string, name: string): PlayedRun['jobs'][number] {
  const { status = 'cancelled', steps = [] } = control.job(id) ?? {}
  return {
    name,
    conclusion: status,
    note: null,
    steps: steps.map(({ name, result = status }) => ({ name, conclusion: result, outcome: result })),
  }
}
