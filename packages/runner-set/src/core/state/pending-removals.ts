// Registrations without a living runner that must be removed at the forge, each with its own time (docs/decisions/0004-pending-removals.md).
import type { Instant } from '@dayfly/kit/clock'
import type { Limits } from '../../model/limits.ts'
import type { Registration } from '../../model/runner.ts'
import type { PendingRemoval } from '../../model/world.ts'
import { afterFailure } from '../retry.ts'

export class PendingRemovals {
  readonly #pending = new Map<string, PendingRemoval>()

  add(
    registration: Registration,
    dueAt: Instant,
    is: { readonly early?: boolean; readonly busy?: boolean } = {},
  ): void {
    if (this.#pending.has(registration.name)) return
    const { early = false, busy = false } = is
    this.#pending.set(registration.name, { registration, dueAt, early, busy, underway: false, failures: 0 })
  }

  has(name: string): boolean {
    return this.#pending.has(name)
  }

  /** The registration is removed, the forge has dropped it by itself, or its runner lives after all. */
  clear(name: string): void {
    this.#pending.delete(name)
  }

  /** The event about its job came after its end, so it did not leave too early. */
  hadJob(name: string): void {
    this.#change(name, () => ({ early: false }))
  }

  begin(name: string): void {
    this.#change(name, () => ({ underway: true }))
  }

  /** The attempt ended without an answer that counts. */
  settle(name: string): void {
    this.#change(name, () => ({ underway: false }))
  }

  /** The forge reports the runner as busy, as GitHub does for 10 to 15 minutes after a runner died. */
  stillBusy(name: string, at: Instant, limits: Limits): void {
    this.#change(name, () => ({ underway: false, busy: true, dueAt: at + limits.jobLeaseMs }))
  }

  failed(name: string, at: Instant, retryAt: Instant | undefined, limits: Limits): void {
    this.#change(name, (before) => {
      const failed = { at, before: before.failures, retryAt, key: name }
      const { failures, retryAt: dueAt } = afterFailure(failed, limits)
      return { underway: false, failures, dueAt }
    })
  }

  /** Compares with a complete list. Removals that the list no longer has are over.
   *  Returns the runners that left too early, by whether the list still has their registrations. A list that was requested before their
   *  time does not count, nor does one while the events of their jobs may still wait. */
  compare(listed: ReadonlyMap<string, readonly Registration[]>, askedAt: Instant, backlogUntil: Instant) {
    const early: { readonly name: string; readonly isListed: boolean }[] = []
    for (const [name, pending] of this.#pending) {
      const own = listed.get(name)?.find(({ id }) => id === pending.registration.id) ?? listed.get(name)?.[0]
      const isListed = own !== undefined
      if (pending.busy && own?.busy === false) this.#change(name, () => ({ busy: false, dueAt: askedAt }))
      if (pending.early && askedAt < backlogUntil) this.#change(name, () => ({ dueAt: backlogUntil }))
      if (pending.early && askedAt < Math.max(pending.dueAt, backlogUntil)) continue
      if (pending.early) early.push({ name, isListed })
      if (isListed) this.#change(name, () => ({ early: false }))
      else this.clear(name)
    }
    return early
  }

  all(): readonly PendingRemoval[] {
    return [...this.#pending.values()]
  }

  #change(name: string, change: (before: PendingRemoval) => Partial<PendingRemoval>): void {
    const pending = this.#pending.get(name)
    if (pending) this.#pending.set(name, { ...pending, ...change(pending) })
  }
}
