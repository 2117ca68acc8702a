// Keeps the states of a task's steps. The server has numbered the steps in the order of the workflow, and shows each one's part of the log.
import type { Instant } from '@dayfly/kit/clock'
import type { Conclusion } from '../../job.ts'
import type { StepEvent } from '../job-state.ts'
import { type Result, resultOf } from './read-task.ts'

export type StepMessage = {
  readonly id: string
  readonly result?: Result
  readonly startedAt?: string
  readonly stoppedAt?: string
  readonly logIndex: string
  readonly logLength: string
}

export interface StepStates {
  /** Takes the next event. `rows` is the number of rows of the log so far. The steps run in order. */
  add(event: StepEvent, rows: number): void
  /** Returns every step, because the server reads a step that is left out as running. */
  messages(rows: number): readonly StepMessage[]
  /** Gives the steps that never ran a conclusion. */
  close(conclusion: Conclusion): void
}

type Step = { startedAt?: Instant; stoppedAt?: Instant; conclusion?: Conclusion; index: number; length: number }

/** @param setUp the number of rows before the first step */
export function createStepStates(count: number, setUp: number): StepStates {
  const steps = Array.from({ length: count }, (): Step => ({ index: 0, length: 0 }))
  let current = 0
  // The parts are contiguous: the server adds their lengths to find the rows after the last step.
  let end = setUp
  return {
    add: ({ status, at, conclusion }, rows) => {
      const step = steps[current]
      if (!step) return
      step.startedAt ??= at
      step.index = end
      if (status === 'started') return
      step.stoppedAt = at
      step.length = rows - end
      if (conclusion) step.conclusion = conclusion
      end = rows
      current++
    },
    messages: (rows) =>
      steps.map(({ startedAt, stoppedAt, conclusion, index, length }, id) => ({
        id: String(id),
        ...(conclusion && { result: resultOf(conclusion) }),
        ...(startedAt !== undefined && { startedAt: stamp(startedAt) }),
        ...(stoppedAt !== undefined && { stoppedAt: stamp(stoppedAt) }),
        logIndex: String(index),
        logLength: String(startedAt !== undefined && stoppedAt === undefined ? rows - index : length),
      })),
    close: (conclusion) => {
      for (const step of steps) step.conclusion ??= conclusion
    },
  }
}

export function stamp(at: Instant): string {
  return new Date(at).toISOString()
}
