// The state of one run of a pipeline: which steps may be queued, which must stop, and how the run ended. It has no clock and no I/O.
import type { StepResult } from '../step.ts'
import type { Pipeline, PipelineStep, StepGroup } from './pipeline.ts'

/** A step that may be queued now. */
export type DueStep = {
  /** Its number in the pipeline, from 0. */
  readonly index: number
  readonly step: PipelineStep
  /** Its number in its parallel group, and the size of the group. */
  readonly parallel: { readonly index: number; readonly count: number } | undefined
}

/** `NOT_RUN`: a failed step or a stop came before it. */
export type StepOutcome = {
  readonly name: string
  readonly stage: string | undefined
  readonly result: StepResult | 'NOT_RUN'
}

export interface PipelineProgress {
  /** Returns the steps to queue now. Each step is returned once. */
  due(): readonly DueStep[]
  /** Returns the queued steps that must stop. Each one is returned once, and its result follows like any other. */
  stops(): readonly number[]
  complete(index: number, result: StepResult): void
  /** Queues no further step, and stops those that are queued. */
  stop(): void
  /** Returns undefined until every queued step has ended. */
  result(): StepResult | undefined
  outcomes(): readonly StepOutcome[]
}

type Entry = {
  readonly due: DueStep
  readonly group: StepGroup
  state: 'waiting' | 'queued' | StepResult
  stopping: boolean
}

export function startPipeline({ groups }: Pipeline): PipelineProgress {
  const entries = entriesOf(groups)
  const stops: number[] = []
  let stopped = false
  const members = (group: StepGroup) => entries.filter((entry) => entry.group === group)
  const stopEntries = (list: readonly Entry[]) => {
    for (const entry of list) {
      if (entry.state !== 'queued' || entry.stopping) continue
      entry.stopping = true
      stops.push(entry.due.index)
    }
  }
  /** The first group with a step that has not passed. */
  const current = () => groups.find((group) => members(group).some(({ state }) => state !== 'SUCCESSFUL'))
  return {
    due: () => {
      const group = stopped ? undefined : current()
      const found = group ? members(group) : []
      // The steps of a group are queued together, so a group with any other state is under way or has failed.
      if (found.some(({ state }) => state !== 'waiting')) return []
      for (const entry of found) entry.state = 'queued'
      return found.map(({ due }) => due)
    },
    stops: () => stops.splice(0),
    complete: (index, result) => {
      const entry = entries[index]
      if (entry?.state !== 'queued') return
      entry.state = result
      if (result !== 'SUCCESSFUL' && entry.due.step.failFast) stopEntries(members(entry.group))
    },
    stop: () => {
      stopped = true
      stopEntries(entries)
    },
    result: () => {
      if (entries.some(({ state }) => state === 'queued')) return undefined
      const group = current()
      if (!group) return 'SUCCESSFUL'
      if (stopped) return 'STOPPED'
      const results = members(group).map(({ state }) => state)
      const worst = (['FAILED', 'ERROR', 'STOPPED'] as const).find((result) => results.includes(result))
      return worst
    },
    outcomes: () =>
      entries.map(({ due, group, state }) => ({
        name: due.step.name,
        stage: group.stage,
        result: state === 'waiting' || state === 'queued' ? 'NOT_RUN' : state,
      })),
  }
}

function entriesOf(groups: readonly StepGroup[]): readonly Entry[] {
  let count = 0
  return groups.flatMap((group) =>
    group.steps.map((step, index) => ({
      due: { index: count++, step, parallel: group.parallel ? { index, count: group.steps.length } : undefined },
      group,
      state: 'waiting' as const,
      stopping: false,
    })),
  )
}
