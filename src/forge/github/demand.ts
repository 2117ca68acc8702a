// From statistics to demand. Statistics are state and are believed, but for one known fault: all zero beside a job that was just assigned (scale-set protocol 14, row 2).
import type { Instant } from '../../lib/clock.ts'
import type { Message, Statistics } from './messages.ts'

/** How long a job that contradicts zero statistics counts when nothing more is heard of it. */
const disbeliefMs = 5 * 60_000

export class DemandReading {
  #assigned: number | undefined
  /** Jobs announced beside statistics of zero, and when they stop counting. */
  readonly #contradicting = new Map<string, Instant>()

  /** Jobs assigned to the set; undefined until the service has said so. */
  jobs(now: Instant): number | undefined {
    for (const [job, until] of this.#contradicting) if (until <= now) this.#contradicting.delete(job)
    return this.#assigned === undefined ? undefined : Math.max(this.#assigned, this.#contradicting.size)
  }

  /** Statistics from outside a message: they stand beside no job that could contradict them. */
  state(statistics: Statistics | undefined): void {
    if (statistics) this.#believe(statistics)
  }

  message(message: Message, now: Instant): void {
    if (message.statistics) this.#believe(message.statistics)
    for (const job of message.jobs) {
      if (job.jobId === undefined) continue
      if (job.kind === 'completed') this.#contradicting.delete(job.jobId)
      if (job.kind === 'assigned' && this.#assigned === 0) this.#contradicting.set(job.jobId, now + disbeliefMs)
    }
  }

  #believe(statistics: Statistics): void {
    this.#assigned = statistics.assignedJobs
    if (statistics.assignedJobs > 0) this.#contradicting.clear()
  }
}
