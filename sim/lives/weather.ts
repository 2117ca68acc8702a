// The faults of the simulation of lives. Each is rare, so that most lives are usual ones, and each happens thousands of times in a long run.
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'

/** The events that one life can meet beside a job. */
export const fates = [
  'usual',
  'image-missing',
  'unschedulable',
  'slow-start',
  'never-online',
  'out-of-memory',
  'evicted',
  'vanishes',
  'deleted-by-others',
  'leaves-idle',
  'node-silent',
  'sidecar-lingers',
  'runner-lingers',
  'ends-slowly',
] as const
export type Fate = (typeof fates)[number]

/** The ways in which one call can end. `lost-before`: the server never got it. `lost-after`: it was carried out, and its answer is lost. */
export type CallFate = 'answered' | 'refused' | 'lost-before' | 'lost-after'

/** The share of lives with each unusual fate. */
const fateShare = 0.001
/** The share of calls that fail in each of the three ways. */
const callShare = 0.000_4
const minute = 60_000
/** In each hour the faults end after this time. */
const foulMs = 35 * minute
const hourMs = 60 * minute
/** The consequences of the last fault are over after this time: a forge counts the job of a dead runner for a quarter of an hour. */
const settleMs = 17 * minute

export class Weather {
  readonly #random: Random
  readonly #startedAt: Instant
  readonly memory = { endedAt: undefined as Instant | undefined }

  constructor(random: Random, startedAt: Instant) {
    this.#random = random
    this.#startedAt = startedAt
  }

  /** No fault happens from now on. */
  end(now: Instant): void {
    this.memory.endedAt = now
  }

  isFoul(now: Instant): boolean {
    return this.memory.endedAt === undefined && (now - this.#startedAt) % hourMs < foulMs
  }

  /** Returns whether nothing fails, and no earlier failure has a consequence any more. */
  isSettled(now: Instant): boolean {
    if (this.memory.endedAt !== undefined) return now > this.memory.endedAt + settleMs
    return (now - this.#startedAt) % hourMs > foulMs + settleMs
  }

  /** Returns the number of the fate of a new life. */
  fate(now: Instant): number {
    if (!this.isFoul(now)) return 0
    const drawn = this.#random() / fateShare
    return drawn < fates.length - 1 ? 1 + Math.floor(drawn) : 0
  }

  call(now: Instant): CallFate {
    if (!this.isFoul(now)) return 'answered'
    const drawn = this.#random() / callShare
    if (drawn > 3) return 'answered'
    return drawn < 1 ? 'refused' : drawn < 2 ? 'lost-before' : 'lost-after'
  }

  /** Returns whether something happens whose share of all cases is given. */
  strikes(now: Instant, share: number): boolean {
    return this.isFoul(now) && this.#random() < share
  }
}
