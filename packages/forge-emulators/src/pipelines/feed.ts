// Feeds the steps of a run to a forge, and takes their results.
import type { StepResult } from '../step.ts'
import type { Pipeline } from './pipeline.ts'
import { type DueStep, type StepOutcome, startPipeline } from './run.ts'

/** The part of a forge that a run needs. */
export interface StepQueue {
  /** Queues a step. Returns its id, and its result if it has ended at once. */
  queue(due: DueStep): { readonly id: string; readonly result: StepResult | undefined }
  /** Ends a step in any state. Its result follows like any other. */
  stop(id: string): void
  /** Calls the listener for each step that has ended, including steps of other runs. Returns a function that unsubscribes it. */
  onFinished(listener: (id: string, result: StepResult) => void): () => void
}

/** `id` is undefined for a step that was not queued. */
type RunStep = StepOutcome & { readonly id: string | undefined }

type PipelineResult = { readonly result: StepResult; readonly steps: readonly RunStep[] }

export interface PipelineRun {
  /** The UUID of the pipeline, without braces. */
  readonly uuid: string
  readonly buildNumber: number
  /** Returns the steps as they are now. A step that is queued or under way has the result `NOT_RUN`. */
  steps(): readonly RunStep[]
  /** Returns undefined until every queued step has ended. */
  result(): StepResult | undefined
  /** Resolves when every queued step has ended; never rejects. */
  readonly done: Promise<PipelineResult>
  stop(): void
}

export function feedPipeline(
  pipeline: Pipeline,
  { uuid, buildNumber }: Pick<PipelineRun, 'uuid' | 'buildNumber'>,
  queue: StepQueue,
): PipelineRun {
  const progress = startPipeline(pipeline)
  const ids = new Map<number, string>()
  const indices = new Map<string, number>()
  let finish: (result: PipelineResult) => void = () => {}
  const done = new Promise<PipelineResult>((resolve) => {
    finish = resolve
  })
  const steps = () => progress.outcomes().map((outcome, index) => ({ ...outcome, id: ids.get(index) }))
  const unsubscribe = queue.onFinished((id, result) => {
    const index = indices.get(id)
    if (index === undefined) return
    progress.complete(index, result)
    advance()
  })
  const advance = () => {
    for (const due of progress.due()) {
      const { id, result } = queue.queue(due)
      ids.set(due.index, id)
      indices.set(id, due.index)
      if (result !== undefined) progress.complete(due.index, result)
    }
    for (const index of progress.stops()) queue.stop(ids.get(index) ?? '')
    const result = progress.result()
    if (result === undefined) return
    unsubscribe()
    finish({ result, steps: steps() })
  }
  const stop = () => {
    progress.stop()
    advance()
  }
  advance()
  return { uuid, buildNumber, steps, result: progress.result, done, stop }
}
