// Counts the events of the journal. It also sees lives as they are after the event.
import type { Instant } from '@dayfly/kit/clock'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import {
  CICD_PIPELINE_RUN_STATE_VALUE_EXECUTING as executing,
  CICD_PIPELINE_RUN_STATE_VALUE_FINALIZING as finalizing,
  CICD_PIPELINE_RUN_STATE_VALUE_PENDING as pending,
} from '@opentelemetry/semantic-conventions/incubating'
import { type Attributes, attribute, known } from '../attributes.ts'
import type { RunnerEvent } from '../lives/follow.ts'
import { type Job, type Life, pipelineOf } from '../lives/life.ts'
import { isBad, resultOf } from '../results.ts'
import { endBeganAt } from '../spans/phases.ts'
import { resultOfLife } from '../spans/plan.ts'
import type { Instruments } from './instruments.ts'

type Component = 'runner' | 'forge' | 'kubernetes'
type Subject = { readonly namespace: string; readonly set: string }

/** Counts what concerns no single runner. */
export function countSystem({ systemErrors }: Instruments, event: JournalEvent): void {
  const count = (component: Component, error: string) =>
    systemErrors.add(1, {
      ...('namespace' in event ? ofSet(event) : {}),
      ...known({ [attribute.component]: component, [attribute.error]: error }),
    })
  switch (event.kind) {
    case 'forge-failed':
    case 'registration-kept':
    case 'runner-version-ends':
    case 'size-failed':
    case 'cost-labels-failed':
    case 'cordon-failed':
      count('forge', event.failure.reason)
      break
    case 'template-refused':
      count('kubernetes', event.failure.reason)
      break
    case 'write-failed':
    case 'watch-failed':
    case 'election-failed':
    case 'cluster-unavailable':
      count('kubernetes', event.kind)
      break
    case 'start-refused':
      count('runner', event.failure.reason)
      break
  }
}

/** @param life undefined if the journal has said nothing else about the runner */
export function countRun(instruments: Instruments, event: RunnerEvent, life: Life | undefined, at: Instant): void {
  switch (event.kind) {
    case 'job-started': {
      const ms = event.queuedMs
      const pipeline = event.job.origin?.workflow || event.set
      if (ms !== undefined) record(instruments, event, { state: pending, pipeline, ms })
      break
    }
    case 'job-finished':
      jobFinished(instruments, event, life)
      break
    case 'runner-gone':
      if (life) gone(instruments, life, at)
      break
    case 'job-pod-failed':
    case 'job-doubtful':
      runError(instruments, event, life, event.failure.reason)
      break
    case 'runner-failed':
      if (openJob(life)) runError(instruments, event, life, event.failure.reason)
      else systemError(instruments, event, event.failure.reason)
      break
  }
}

function jobFinished(
  instruments: Instruments,
  event: Extract<RunnerEvent, { kind: 'job-finished' }>,
  life: Life | undefined,
): void {
  const of = resultOf(event.result)
  const job = life?.jobs.find(({ id }) => id === event.job)
  const error = isBad(of) ? of : undefined
  if (error) runError(instruments, event, life, error)
  if (job?.startedAt === undefined || job.finishedAt === undefined) return
  const attributes = known({ [attribute.result]: of, [attribute.error]: error })
  const pipeline = pipelineOf(event, job)
  const ms = job.finishedAt - job.startedAt
  record(instruments, event, { state: executing, pipeline, ms }, attributes)
}

function gone(instruments: Instruments, life: Life, at: Instant): void {
  const from = endBeganAt(life)
  if (from === undefined) return
  const attributes = known({ [attribute.result]: resultOfLife(life) })
  const pipeline = pipelineOf(life, life.jobs[0])
  record(instruments, life, { state: finalizing, pipeline, ms: at - from }, attributes)
}

type Duration = { readonly state: string; readonly pipeline: string; readonly ms: number }

function record(
  { duration }: Instruments,
  of: Subject,
  { state, pipeline, ms }: Duration,
  attributes: Attributes = {},
): void {
  if (ms < 0) return
  const common = known({ [attribute.pipeline]: pipeline, [attribute.state]: state })
  duration.record(ms / 1_000, { ...ofSet(of), ...common, ...attributes })
}

function runError({ runErrors }: Instruments, of: Subject, life: Life | undefined, error: string): void {
  const pipeline = pipelineOf(of, life?.jobs.at(-1))
  runErrors.add(1, { ...ofSet(of), ...known({ [attribute.pipeline]: pipeline, [attribute.error]: error }) })
}

function systemError({ systemErrors }: Instruments, of: Subject, error: string): void {
  systemErrors.add(1, { ...ofSet(of), ...known({ [attribute.component]: 'runner', [attribute.error]: error }) })
}

function openJob(life: Life | undefined): Job | undefined {
  return life?.jobs.find(({ finishedAt }) => finishedAt === undefined)
}

export function ofSet({ namespace, set }: Subject): Attributes {
  return known({ [attribute.namespace]: namespace, [attribute.set]: set })
}
