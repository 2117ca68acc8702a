// Measures of one strategy over the same two days: what became of each step, what the runners cost, how many calls it took.
import type { Control } from '@dayfly/forge-emulators/bitbucket/control'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'
import type { QueuedStep } from './workload.ts'

export type Result = {
  readonly name: string
  readonly steps: number
  /** Steps that failed because no runner with their labels was online. */
  readonly failed: number
  /** Steps that failed because their runner was removed. */
  readonly killed: number
  /** Steps on a runner that had run one before. */
  readonly reused: number
  /** The times that steps waited, in seconds. */
  readonly waits: { readonly p50: number; readonly p95: number; readonly max: number }
  readonly callsPerHourMax: number
  readonly runnerHours: number
}

export type Tally = { readonly waits: number[]; failed: number; killed: number; reused: number }

export function tallySteps(control: Control): Tally {
  const tally: Tally = { waits: [], failed: 0, killed: 0, reused: 0 }
  control.onStep(({ kind, id, at, queuedAt, runs }) => {
    if (kind === 'started') {
      tally.waits.push((at - queuedAt) / 1_000)
      if (runs > 1) tally.reused++
    }
    const reason = kind === 'finished' ? control.step(id)?.reason : undefined
    if (reason === 'No runner with the labels of the step is online.') tally.failed++
    else if (reason !== undefined) tally.killed++
  })
  return tally
}

/** Queues each step at its time. One timer at a time: a virtual clock looks at all of them. */
export function queueAll(clock: VirtualClock, control: Control, steps: readonly QueuedStep[]): void {
  const start = clock.now()
  const queueFrom = (index: number) => {
    const step = steps[index]
    if (!step) return
    clock.after(start + step.atMs - clock.now(), () => {
      control.queueSteps([{ repository: 'app', labels: ['docker'], durationMs: step.durationMs }])
      queueFrom(index + 1)
    })
  }
  queueFrom(0)
}

export function percentiles(values: readonly number[]): Result['waits'] {
  const sorted = [...values].sort((left, right) => left - right)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}

/** Adds up the lives of runners. */
export class RunnerHours {
  readonly #since = new Map<string, number>()
  #ms = 0

  began(name: string, now: number): void {
    if (!this.#since.has(name)) this.#since.set(name, now)
  }

  ended(name: string, now: number): void {
    const since = this.#since.get(name)
    if (since === undefined) return
    this.#ms += now - since
    this.#since.delete(name)
  }

  /** Counts the living ones up to now. */
  total(now: number): number {
    for (const name of [...this.#since.keys()]) this.ended(name, now)
    return Math.round(this.#ms / 360_000) / 10
  }
}
