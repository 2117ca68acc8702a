// Runs pipelines on the emulated Bitbucket and waits until they have ended.
import path from 'node:path'
import type { StepEvent } from '@dayfly/forge-emulators/bitbucket/emulation'
import type { PipelineInput } from '@dayfly/forge-emulators/command/input'
import type { Pipeline } from '@dayfly/forge-emulators/pipelines/pipeline'
import type { PlayedRun, PlayStage, Show } from '../forge.ts'
import { playRuns } from '../play-runs.ts'
import type { ScoredJob } from '../score.ts'
import { type BitbucketDemo, openBitbucket, setLabels } from './forge.ts'

export function countSteps({ groups }: Pipeline): number {
  return groups.reduce((sum, { steps }) => sum + steps.length, 0)
}

/** Runs these pipelines. A step without `runs-on` asks for the labels of one of the sets, in turns. */
export function bitbucketShow(runs: readonly PipelineInput[]): Show<BitbucketDemo> {
  const late = { steps: 0 }
  return {
    jobs: runs.reduce((sum, { pipeline }) => sum + countSteps(pipeline), 0),
    open: (options) => openBitbucket(options, ownLabels(runs)),
    play: (forge, stage, until) => playPipelines(runs, { forge, stage, late }, until),
    log: ({ control }, stepId) => control.step(stepId)?.log.lines ?? [],
    figures: (forge) => ({ lateSteps: late.steps, apiCalls: forge.apiCalls() }),
  }
}

/** Returns the lists of labels that steps ask for and no set of the demo has. Each gets a set. */
function ownLabels(runs: readonly PipelineInput[]): readonly (readonly string[])[] {
  const asked = runs.flatMap(({ pipeline }) =>
    pipeline.groups.flatMap(({ steps }) => steps.map(({ runsOn = [] }) => runsOn)),
  )
  const own = asked.map((labels) => labels.filter((label) => !systemLabels.includes(label)).sort())
  const known = new Set(Object.values(setLabels).map(String))
  const lists = new Map(own.filter((labels) => !known.has(String(labels))).map((labels) => [String(labels), labels]))
  return [...lists.values()]
}

/** Every runner of the demo has these labels. */
const systemLabels: readonly string[] = ['self.hosted', 'linux']

type Play = {
  readonly forge: BitbucketDemo
  readonly stage: PlayStage
  /** Steps on a runner that had run one before. */
  readonly late: { steps: number }
}

async function playPipelines(
  runs: readonly PipelineInput[],
  { forge, stage, late }: Play,
  until: AbortSignal,
): Promise<readonly PlayedRun[]> {
  const { score } = stage
  const labels = Object.values(setLabels)
  const startedAt = new Map<string, number>()
  const titles = new Map<string, string>()
  const titleOf = (step: string) => titles.get(forge.control.step(step)?.pipeline.uuid ?? '') ?? ''
  for (const { pipeline } of runs) score.expect(countSteps(pipeline))
  const stop = forge.control.onStep((event) => {
    if (event.kind === 'started') {
      startedAt.set(event.id, event.at)
      if (event.runs > 1) late.steps++
    }
    for (const scored of scoredEvents(event, startedAt.get(event.id)))
      score.job({ ...scored, name: `${titleOf(event.id)}${scored.name}` })
  })
  try {
    return await playRuns(runs, stage, until, async ({ pipeline, source }, index) => {
      const own = [...systemLabels, ...(labels[index % labels.length] ?? [])]
      const run = forge.control.runPipeline(pipeline, { repository: forge.repository, labels: own, source })
      const title = titleOfRun(run.buildNumber, pipeline)
      titles.set(run.uuid, title)
      return outcomeOf(title, pipeline, await run.done, score)
    })
  } finally {
    stop()
  }
}

/** `#3 hello.yml / `, and the selector if it is not the default. The same file may run several times. */
function titleOfRun(number: number, { file, selector }: Pipeline): string {
  return `#${number} ${path.basename(file)} / ${selector === 'default' ? '' : `${selector} / `}`
}

const results: Readonly<Record<string, string>> = { SUCCESSFUL: 'succeeded' }

/** A runner that has asked for a step begins its script at once. */
function scoredEvents({ kind, id, name = 'step', at, queuedAt, result }: StepEvent, startedAt: number | undefined) {
  const times = { queuedAt, startedAt, finishedAt: kind === 'finished' ? at : undefined }
  const shown = result === undefined ? undefined : (results[result] ?? result.toLowerCase())
  const event: ScoredJob = { kind, id, name, runs: 1, at, times, result: shown, report: undefined }
  return kind === 'started' ? [event, { ...event, kind: 'first-step' } as const] : [event]
}

type Done = Awaited<ReturnType<BitbucketDemo['control']['runPipeline']>['done']>

function outcomeOf(
  title: string,
  pipeline: Pipeline,
  { result: whole, steps }: Done,
  score: PlayStage['score'],
): PlayedRun {
  for (const { name, result } of steps) {
    if (result === 'NOT_RUN') score.neverRan({ name: `${title}${name}`, isFailed: false, note: undefined })
  }
  const conclusions: Readonly<Record<string, string>> = { SUCCESSFUL: 'success', NOT_RUN: 'skipped' }
  const jobs = steps.map(({ name, result }) => {
    return { name, conclusion: conclusions[result] ?? 'failure', note: null, steps: [] }
  })
  const conclusion = whole === 'SUCCESSFUL' ? 'success' : 'failure'
  return { workflow: pipeline.selector, file: pipeline.file, conclusion, jobs }
}
