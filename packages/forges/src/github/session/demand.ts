// Turns statistics into demand. Statistics are state and are trusted, with one exception: GitHub has sent zeros beside a job
// that it had just assigned (docs/reference/scale-set-protocol.md#s14).
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeRunners } from '@dayfly/runner-set/model/forge-event'
import type { Message, Statistics } from './messages.ts'

/** How long a job that contradicts zero statistics counts if no further message names it, in milliseconds. */
const contradictionMs = 5 * 60_000

export class DemandReading {
  #assigned: number | undefined
  #isOfMessage = false
  /** How many runners the last statistics count. */
  runners: ForgeRunners | undefined
  /** The ids of jobs that were announced beside statistics of zero. They count until `until`. */
  readonly #contradicting = new Map<string, { readonly assignedAt: Instant; readonly until: Instant }>()

  /** Returns the jobs that are assigned to the set; undefined before the first statistics. */
  jobs(now: Instant): number | undefined {
    for (const [job, { until }] of this.#contradicting) if (until <= now) this.#contradicting.delete(job)
    return this.#assigned === undefined ? undefined : Math.max(this.#assigned, this.#contradicting.size)
  }

  /**
   * Returns the time of what `jobs` counts. In a queue of many messages, a job is announced long after it was assigned. Then zero may be
   * right, because the job is over.
   */
  countedAt(now: Instant): Instant {
    const jobs = this.jobs(now) ?? 0
    if (jobs === 0 || jobs === this.#assigned) return now
    return Math.min(now, Math.max(...[...this.#contradicting.values()].map(({ assignedAt }) => assignedAt)))
  }

  /** Whether the last statistics came with a message. A message that waited for a new session is older than the session's own statistics. */
  get isOfMessage(): boolean {
    return this.#isOfMessage
  }

  /** Takes over statistics that came without a message, so without a job that could contradict them. */
  state(statistics: Statistics | undefined): void {
    this.#isOfMessage = false
    if (statistics) this.#trust(statistics)
  }

  message(message: Message, now: Instant): void {
    this.#isOfMessage = true
    if (message.statistics) this.#trust(message.statistics)
    for (const job of message.jobs) {
      if (job.jobId === undefined) continue
      if (job.kind === 'completed') this.#contradicting.delete(job.jobId)
      if (job.kind !== 'assigned' || this.#assigned !== 0) continue
      this.#contradicting.set(job.jobId, { assignedAt: job.assignedAt ?? now, until: now + contradictionMs })
    }
  }

  #trust(statistics: Statistics): void {
    this.#assigned = statistics.assignedJobs
    this.runners = statistics.runners
    if (statistics.assignedJobs > 0) this.#contradicting.clear()
  }
}
