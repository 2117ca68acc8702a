// Registrations that have no living runner any more and are to be removed at the forge, each with its own time.
import type { Instant } from '../../lib/clock.ts'
import type { Registration } from '../../model/runner.ts'
import type { Debt } from '../../model/world.ts'

export class Debts {
  readonly #debts = new Map<string, Debt>()

  add(registration: Registration, dueAt: Instant, early = false): void {
    if (!this.#debts.has(registration.name)) this.#debts.set(registration.name, { registration, dueAt, early })
  }

  get(name: string): Debt | undefined {
    return this.#debts.get(name)
  }

  /** It has been paid, or the forge has dropped the registration by itself. */
  clear(name: string): void {
    this.#debts.delete(name)
  }

  /** An attempt is under way or failed: not before `at`. */
  postpone(name: string, at: Instant): void {
    const debt = this.#debts.get(name)
    if (debt) this.#debts.set(name, { ...debt, dueAt: at })
  }

  has(name: string): boolean {
    return this.#debts.has(name)
  }

  all(): readonly Debt[] {
    return [...this.#debts.values()]
  }
}
