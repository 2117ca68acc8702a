// Runners that are gone while the demand we know may still count their jobs: they ask for no replacement.
import type { Instant } from '../../lib/clock.ts'
import type { Departed } from '../../model/world.ts'

export class Departures {
  readonly #departed = new Map<string, Departed>()

  add(departed: Departed): void {
    if (!this.#departed.has(departed.name)) this.#departed.set(departed.name, departed)
  }

  /** News of a job came after the end of its runner. */
  jobStarted(name: string): void {
    const departed = this.#departed.get(name)
    if (departed) this.#departed.set(name, { ...departed, jobOpen: true })
  }

  /** Its job is no longer counted, or it never had one. */
  settle(name: string): void {
    this.#departed.delete(name)
  }

  /** Lets go of what a newer demand no longer counts, and of what the forge's lease has ended. `open`: what became of its registration is not known yet. */
  prune(demandAt: Instant | undefined, open: (name: string) => boolean, leaseMs: number, now: Instant): void {
    for (const { name, at, jobOpen } of this.#departed.values()) {
      const told = !jobOpen && demandAt !== undefined && demandAt > at && !open(name)
      if (told || now >= at + leaseMs) this.#departed.delete(name)
    }
  }

  all(): readonly Departed[] {
    return [...this.#departed.values()]
  }
}
