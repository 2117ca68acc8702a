// Runners that are gone while the demand may still count their jobs. They need no replacement.
import type { Instant } from '@dayfly/kit/clock'
import type { Demand } from '../../model/demand.ts'
import type { Limits } from '../../model/limits.ts'
import type { DemandReading, Departed } from '../../model/world.ts'

/** The kind of a demand, and the time of the jobs that it counts. */
export type Counting = { readonly kind: Demand['kind']; readonly at: Instant }

/** Returns whether the demand may still count the job of a departed runner. */
export function isStillCounted(departed: Departed, demand: Counting, limits: Limits, now: Instant): boolean {
  // A list of waiting jobs that was requested after its end does not have its job.
  if (demand.kind === 'queued') return !departed.hadJob && demand.at <= departed.at
  if (departed.jobOpen) return now < departed.at + limits.jobLeaseMs
  // It reported the end of its job. A demand that arrives now may have been counted before that.
  return demand.at <= departed.at + (departed.endedWell ? limits.lateEventMs : 0)
}

/** Returns what a demand counts. */
export function countingOf({ value, at, countedAt }: Extract<DemandReading, { readonly known: true }>): Counting {
  return { kind: value.kind, at: countedAt ?? at }
}

export class Departures {
  readonly #departed = new Map<string, Departed>()

  add(departed: Departed): void {
    if (!this.#departed.has(departed.name)) this.#departed.set(departed.name, departed)
  }

  /** The event about a job came after the end of its runner. */
  jobStarted(name: string): void {
    const departed = this.#departed.get(name)
    if (departed) this.#departed.set(name, { ...departed, hadJob: true, jobOpen: !departed.endedWell })
  }

  /** The demand no longer counts its job, or it never had one. */
  settle(name: string): void {
    this.#departed.delete(name)
  }

  /** Forgets what the demand no longer counts. @param open whether the end of a runner's registration is still to be found out */
  prune(demand: Counting | undefined, open: (name: string) => boolean, limits: Limits, now: Instant): void {
    for (const departed of this.#departed.values()) {
      const expired = now >= departed.at + limits.jobLeaseMs
      const counted = demand === undefined || isStillCounted(departed, demand, limits, now) || open(departed.name)
      if (expired || !counted) this.#departed.delete(departed.name)
    }
  }

  all(): readonly Departed[] {
    return [...this.#departed.values()]
  }
}
