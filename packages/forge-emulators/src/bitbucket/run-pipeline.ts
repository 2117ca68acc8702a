// Runs a pipeline of a file: queues its steps in their order, with the variables that Bitbucket gives them.
// Variables: https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/
import { feedPipeline, type PipelineRun } from '../pipelines/feed.ts'
import type { Pipeline } from '../pipelines/pipeline.ts'
import type { DueStep } from '../pipelines/run.ts'
import type { StepSource } from '../step.ts'
import type { Emulation } from './emulation.ts'
import type { PipelineId, Place, StepSpec } from './state.ts'
import { completeStep, nextPipeline, queueStep } from './steps.ts'

export type PipelineOptions = {
  /** The slug of the repository whose pipeline it is. */
  readonly repository: string
  /** The labels of steps without `runs-on`. */
  readonly labels: readonly string[]
  /** The commit that each step gets. Absent: each step starts in an empty folder. */
  readonly source?: StepSource | undefined
}

/** Pipelines that are over stay known up to this number. */
const finishedMax = 500

export function runPipeline(
  emulation: Emulation,
  pipeline: Pipeline,
  repository: Place,
  options: PipelineOptions,
): PipelineRun {
  const { state, listeners } = emulation
  const id = nextPipeline(emulation)
  const run = feedPipeline(pipeline, id, {
    queue: (due) => {
      const step = queueStep(emulation, repository, specOf(due, pipeline, id, options))
      return { id: step.uuid, result: step.result }
    },
    stop: (uuid) => {
      const step = state.steps.get(uuid)
      if (step) completeStep(emulation, step, 'STOPPED', 'The pipeline stopped the step.')
    },
    onFinished: (listener) => {
      const onStep = (event: { readonly id: string; readonly result: StepSpec['result'] }) => {
        if (event.result !== undefined) listener(event.id, event.result)
      }
      listeners.add(onStep)
      return () => void listeners.delete(onStep)
    },
  })
  state.pipelines.set(id.uuid, run)
  for (const old of state.pipelines.values()) {
    if (state.pipelines.size <= finishedMax) break
    if (old.result() !== undefined) state.pipelines.delete(old.uuid)
  }
  return run
}

function specOf(
  { step, parallel }: DueStep,
  { selector }: Pipeline,
  id: PipelineId,
  options: PipelineOptions,
): StepSpec {
  const { name, script, afterScript, maxTimeMinutes, runsOn = options.labels } = step
  const group: Record<string, string> = parallel
    ? { BITBUCKET_PARALLEL_STEP: String(parallel.index), BITBUCKET_PARALLEL_STEP_COUNT: String(parallel.count) }
    : {}
  return {
    repository: options.repository,
    labels: runsOn,
    name,
    script,
    afterScript,
    maxTimeMinutes,
    source: options.source,
    variables: { ...referenceOf(selector, options.source?.branch ?? 'main'), ...group },
    pipeline: id,
  }
}

/** Returns the variables of the branch, the tag or the pull request that the selector stands for. A pattern stands for the branch of the commit. */
function referenceOf(selector: string, branch: string): Readonly<Record<string, string>> {
  const [section = '', ...rest] = selector.split('/')
  const name = rest.join('/')
  const named = /[*?{]/.test(name) ? branch : name
  if (section === 'branches') return { BITBUCKET_BRANCH: named }
  if (section === 'tags') return { BITBUCKET_TAG: named }
  if (section === 'pull-requests') {
    return { BITBUCKET_BRANCH: named, BITBUCKET_PR_ID: '1', BITBUCKET_PR_DESTINATION_BRANCH: 'main' }
  }
  return { BITBUCKET_BRANCH: branch }
}
