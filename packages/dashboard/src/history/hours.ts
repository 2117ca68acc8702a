// The sums of the past in bounded memory: for every 5 minutes of the last day, and for every hour of the last 7 days.
import type { Instant } from '@dayfly/kit/clock'
import { windowMs } from '../model/trends.ts'
import { Bucket } from './bucket.ts'
import type { Contribution } from './contribution.ts'

export const fineMs = 300_000
export const hourMs = 3_600_000
/** The names of repositories are needed for every 5 minutes of the last hour only. */
const namedFineMs = 90 * 60_000
const fineKeptMs = windowMs['24h'] + 2 * hourMs
const hoursKeptMs = windowMs['7d'] + 2 * hourMs
/** Rows of all hours. Above that, the oldest hours lose the names of repositories. */
const namedRowsMax = 50_000

export class Hours {
  readonly #fine = new Map<Instant, Bucket>()
  readonly #hours = new Map<Instant, Bucket>()
  readonly #merged = new WeakSet<Bucket>()
  readonly #rowsMax: number
  /** The begin of the newest 5 minutes. */
  #latest = 0

  constructor(rowsMax: number = namedRowsMax) {
    this.#rowsMax = rowsMax
  }

  queued(at: Instant, set: string, repository: string, ms: number): void {
    this.#advance(at)
    if (at >= this.#latest - namedFineMs) bucketAt(this.#fine, at, fineMs).queued(set, repository, ms)
    if (at >= this.#latest - hoursKeptMs) bucketAt(this.#hours, at, hourMs).queued(set, repository, ms)
  }

  /** Adds a life that is over. @param sign -1 to take it back, because more of it became known */
  contribute(contribution: Contribution, sign: 1 | -1): void {
    const { parts, jobs, at } = contribution
    const instants = [at, ...parts.flatMap(({ from, to }) => [from, to]), ...jobs.map((job) => job.at)]
    const [first, last] = [Math.min(...instants), Math.max(...instants)]
    this.#advance(last)
    const spread = (buckets: Map<Instant, Bucket>, width: number, kept: number) => {
      for (let begin = floorTo(Math.max(first, this.#latest - kept), width); begin <= last; begin += width) {
        bucketAt(buckets, begin, width).contribute(contribution, begin, begin + width, sign)
      }
    }
    spread(this.#fine, fineMs, namedFineMs)
    spread(this.#hours, hourMs, hoursKeptMs)
  }

  /** Returns the buckets since an instant, the oldest first. */
  since(from: Instant, width: typeof fineMs | typeof hourMs): readonly Bucket[] {
    const buckets = width === fineMs ? this.#fine : this.#hours
    return [...buckets.values()].filter(({ at }) => at >= from).sort((one, next) => one.at - next.at)
  }

  /** Adds a bucket of a file. */
  restore(bucket: Bucket, width: typeof fineMs | typeof hourMs): void {
    this.#advance(bucket.at)
    bucketAt(width === fineMs ? this.#fine : this.#hours, bucket.at, width).merge(bucket)
  }

  /** Time went on: what is too old is dropped or merged. */
  #advance(at: Instant): void {
    const begin = floorTo(at, fineMs)
    if (begin <= this.#latest) return
    this.#latest = begin
    for (const bucket of this.#fine.values()) {
      if (bucket.at < begin - fineKeptMs) this.#fine.delete(bucket.at)
      else if (bucket.at < begin - namedFineMs) this.#dropNames(this.#fine, bucket)
    }
    for (const key of this.#hours.keys()) if (key < begin - hoursKeptMs) this.#hours.delete(key)
    this.#boundRows()
  }

  #boundRows(): void {
    const oldestFirst = [...this.#hours.values()].sort((one, next) => one.at - next.at)
    let rows = oldestFirst.reduce((sum, bucket) => sum + rowsOf(bucket), 0)
    for (const bucket of oldestFirst) {
      if (rows <= this.#rowsMax) return
      rows += this.#dropNames(this.#hours, bucket)
    }
  }

  /** Returns how many rows came or went. */
  #dropNames(buckets: Map<Instant, Bucket>, bucket: Bucket): number {
    if (this.#merged.has(bucket)) return 0
    const merged = new Bucket(bucket.at)
    merged.merge(bucket, false)
    // A day of 5 minutes is for queue times only.
    if (buckets === this.#fine) merged.costs.clear()
    this.#merged.add(merged)
    buckets.set(bucket.at, merged)
    return rowsOf(merged) - rowsOf(bucket)
  }
}

export function floorTo(at: Instant, width: number): Instant {
  return Math.floor(at / width) * width
}

function bucketAt(buckets: Map<Instant, Bucket>, at: Instant, width: number): Bucket {
  const begin = floorTo(at, width)
  const bucket = buckets.get(begin) ?? new Bucket(begin)
  buckets.set(begin, bucket)
  return bucket
}

function rowsOf({ queues, costs }: Bucket): number {
  return queues.size + costs.size
}
