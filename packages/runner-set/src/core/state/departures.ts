// Runners that are gone while the demand may still count their jobs. They need no replacement.
import type { Instant } from '@dayfly/kit/clock'
import type { Limits } from '../../model/limits.ts'
import type { Departed } from '../../model/world.ts'

/** Returns whether the demand that was read at `demandAt` may still count the job of a departed runner. */
export function isStillCounted(departed: Departed, demandAt: Instant, limits: Limits, now: Instant): boolean {
  if (departed.jobOpen) return now < departed.at + limits.jobLeaseMs
  // It reported the end of its job. A demand that arrives now may have been counted before that.
  return demandAt <= departed.at + (departed.endedWell ? limits.lateEventMs : 0)
}

/** Returns the time of the jobs that a demand counts. */
export function countedAt(demand: { readonly at: Instant; readonly countedAt?: Instant }): Instant {
  return demand.countedAt ?? demand.at
}

export class Departures {
  readonly #departed = new Map<string, Departed>()

  add(departed: Departed): void {
    if (!this.#departed.has(departed.name)) this.#departed.set(departed.name, departed)
  }

  /** The event about a job came after the end of its runner. */
  jobStarted(name: string): void {
    const departed = this.#departed.get(name)
    if (departed) this.#departed.set(name, { ...departed, jobOpen: !departed.endedWell })
  }

  /** The demand no longer counts its job, or it never had one. */
  settle(name: string): void {
    this.#departed.delete(name)
  }

  /** Forgets what the demand no longer counts. @param open whether the end of a runner's registration is still to be found out */
  prune(demandAt: Instant | undefined, open: (name: string) => boolean, limits: Limits, now: Instant): void {
    for (const departed of this.#departed.values()) {
      const expired = now >= departed.at + limits.jobLeaseMs
      const counted = demandAt === undefined || isStillCounted(departed, demandAt, limits, now) || open(departed.name)
      if (expired || !counted) this.#departed.delete(departed.name)
    }
  }

  all(): readonly Departed[] {
    return [...this.#departed.values()]
  }
}
