// Runs the ticks of a set: when something wakes it, at most once in `spacingMs`, and when its own time has come.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'

export type LoopOptions = {
  readonly clock: Clock
  /** Bursts coalesce: no two ticks are closer than this, in milliseconds. */
  readonly spacingMs: number
  /** Runs one tick. Returns when to run the next one if nothing wakes the loop. */
  readonly tick: (now: Instant) => Instant | undefined
}

export class Loop {
  readonly #options: LoopOptions
  #last = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #timerAt: Instant | undefined
  #stopped = false

  constructor(options: LoopOptions) {
    this.#options = options
  }

  wake(): void {
    const { clock, spacingMs } = this.#options
    this.#arm(Math.max(clock.now(), this.#last + spacingMs))
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  /** An earlier time replaces a later one. */
  #arm(at: Instant): void {
    if (this.#stopped || (this.#timerAt !== undefined && this.#timerAt <= at)) return
    this.#timer?.cancel()
    this.#timerAt = at
    this.#timer = this.#options.clock.after(Math.max(0, at - this.#options.clock.now()), () => this.#run())
  }

  #run(): void {
    this.#timerAt = undefined
    const { clock, spacingMs, tick } = this.#options
    this.#last = clock.now()
    const next = tick(this.#last)
    if (next !== undefined) this.#arm(Math.max(next, this.#last + spacingMs))
  }
}
