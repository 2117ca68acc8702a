// Collects the measurements of each job that runs, and makes one record of them when it ends.
import type { Instant } from '@dayfly/kit/clock'
import { type Histogram, type JobUsage, rangeAt, withValue } from './digest.ts'
import type { Measured } from './measured.ts'

type Running = {
  readonly beganAt: Instant
  /** Until when the job is measured without a gap. */
  measuredUntil: Instant
  hasGap: boolean
  /** How often the processor was used how much. A histogram stays small for a job of days. */
  milliCpu: Histogram
  memoryMiB: number
}

/** A job is not measured for longer than this, in milliseconds: its peak may be missing. A new pod has no metrics in its first minute. */
const gapMs = 120_000
/** The processor counts by this share of a job's measurements: a short peak only takes longer with less. */
const cpuShare = 0.95
const mib = 1_024 ** 2

export class Sampler {
  /** The key is the name of the runner with its namespace. */
  readonly #running = new Map<string, Running>()

  /** @param at may be before the first measurement: another leader saw the beginning */
  began(key: string, at: Instant): void {
    this.#running.set(key, { beganAt: at, measuredUntil: at, hasGap: false, milliCpu: new Map(), memoryMiB: 0 })
  }

  /** Takes a measurement that was requested at `now`. One from before the job says nothing about it. */
  measured(key: string, { at, cpu, memory }: Measured, now: Instant): void {
    const job = this.#running.get(key)
    if (!job || at <= job.beganAt) return
    this.#coverUntil(job, now)
    job.milliCpu = withValue(job.milliCpu, 'milliCpu', cpu * 1_000)
    job.memoryMiB = Math.max(job.memoryMiB, memory / mib)
  }

  /** Returns the record of a job that ends; undefined if none is known to run. */
  ended(key: string, at: Instant): JobUsage | undefined {
    const job = this.#running.get(key)
    if (!job) return undefined
    this.#running.delete(key)
    this.#coverUntil(job, at)
    const milliCpu = rangeAt(job.milliCpu, 'milliCpu', cpuShare)?.upTo
    const isKnown = milliCpu !== undefined && !job.hasGap
    const seconds = Math.max(0, at - job.beganAt) / 1_000
    return { seconds, milliCpu: isKnown ? milliCpu : undefined, memoryMiB: isKnown ? job.memoryMiB : undefined }
  }

  forget(key: string): void {
    this.#running.delete(key)
  }

  clear(): void {
    this.#running.clear()
  }

  #coverUntil(job: Running, at: Instant): void {
    if (at - job.measuredUntil > gapMs) job.hasGap = true
    job.measuredUntil = at
  }
}
