// The lives that are open, and those that are gone and wait for late events about their job. Their number is bounded.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { begins, follow, type RunnerEvent } from './follow.ts'
import type { Life } from './life.ts'

export type LivesOptions = {
  readonly clock: Clock
  /** Receives each life once, when it is over. */
  readonly onOver: (life: Life) => void
  /** A life was forgotten, because too many are open. */
  readonly onDropped: () => void
  readonly max?: number
}

const livesMax = 20_000
/** All events of one moment, such as a refused start and its reason, are written by then. */
const sweepMs = 1_000

export class Lives {
  readonly #options: LivesOptions
  readonly #open = new Map<string, Life>()
  readonly #gone = new Map<string, Life>()
  #timer: Timer | undefined

  constructor(options: LivesOptions) {
    this.#options = options
  }

  /** The number of lives in memory. */
  get size(): number {
    return this.#open.size + this.#gone.size
  }

  /** Follows the event. Returns the life as it is now; undefined if none is known. */
  take(event: RunnerEvent, at: Instant): Life | undefined {
    const key = `${event.namespace}/${event.runner}`
    const life = this.#open.get(key) ?? this.#gone.get(key) ?? (begins(event) ? this.#begin(key, event) : undefined)
    if (!life) return undefined
    follow(life, event, at)
    if (life.steps.gone !== undefined && this.#open.delete(key)) {
      this.#gone.set(key, life)
      this.#sweepLater()
    }
    return life
  }

  /** Forgets the open lives of a deleted set: nobody follows its runners any more. */
  forget(namespace: string, set: string): void {
    for (const [key, life] of this.#open) {
      if (life.namespace === namespace && life.set === set) this.#open.delete(key)
    }
  }

  /** Ends the lives that are gone at once. Open ones are forgotten: another process may follow them. */
  close(): void {
    this.#timer?.cancel()
    for (const life of this.#gone.values()) this.#options.onOver(life)
    this.#gone.clear()
    this.#open.clear()
  }

  #begin(key: string, { namespace, set, runner }: RunnerEvent): Life {
    const life: Life = { namespace, set, runner, steps: {}, jobs: [], problems: [] }
    if (this.size >= (this.#options.max ?? livesMax)) this.#dropOldest()
    this.#open.set(key, life)
    return life
  }

  #dropOldest(): void {
    const from = this.#open.size > 0 ? this.#open : this.#gone
    for (const key of from.keys()) {
      from.delete(key)
      this.#options.onDropped()
      return
    }
  }

  #sweepLater(): void {
    this.#timer ??= this.#options.clock.after(sweepMs, () => {
      this.#timer = undefined
      this.#sweep(this.#options.clock.now())
      if (this.#gone.size > 0) this.#sweepLater()
    })
  }

  #sweep(now: Instant): void {
    for (const [key, life] of this.#gone) {
      if (!isSettled(life) && now < (life.steps.gone ?? now) + defaultLimits.lateEventMs) continue
      this.#gone.delete(key)
      this.#options.onOver(life)
    }
  }
}

/** Whether no event about a job can follow: the runner never ran, or its jobs are over. */
function isSettled({ steps, jobs }: Life): boolean {
  if (steps.started === undefined) return true
  return jobs.length > 0 && jobs.every(({ finishedAt }) => finishedAt !== undefined)
}
