// The context that all parts of the emulator share: state, clock, randomness, and the listeners of step events.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { Deadlines } from '../server/deadlines.ts'
import type { StepResult } from '../step.ts'
import type { Knobs } from './config.ts'
import type { State, Step } from './state.ts'

/** An event of a step's lifecycle. */
export type StepEvent = {
  readonly kind: 'queued' | 'assigned' | 'started' | 'finished'
  readonly id: string
  readonly name: string | undefined
  readonly runner: string | undefined
  /** How many steps the runner has begun. */
  readonly runs: number
  readonly at: Instant
  readonly queuedAt: Instant
  /** Set only for `finished`. */
  readonly result: StepResult | undefined
}

export type Emulation = {
  readonly clock: Clock
  readonly random: Random
  readonly deadlines: Deadlines
  readonly listeners: Set<(event: StepEvent) => void>
  knobs: Knobs
  state: State
}

/** Sends an event about the step to all listeners. */
export function reportStep({ clock, listeners }: Emulation, kind: StepEvent['kind'], step: Step): void {
  const { uuid: id, spec, runner, result, times } = step
  const event: StepEvent = {
    kind,
    id,
    name: spec.name,
    runner: runner?.name,
    runs: runner?.steps ?? 0,
    at: clock.now(),
    queuedAt: times.queued,
    result,
  }
  for (const listener of listeners) listener(event)
}
