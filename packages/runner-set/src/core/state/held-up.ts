// Runners that are held up, by name: how many, and the first of them.
import type { LastingFailure } from '../../model/failure.ts'
import type { Delays } from '../../model/world.ts'

/** Keeps the number by increments. It looks for the oldest only after a change. */
export class HeldUp {
  readonly #failures = new Map<string, LastingFailure>()
  /** Undefined when it must be looked for. */
  #oldest: LastingFailure | undefined

  /** The failure of one runner was `before` and is `after`. Undefined: the runner is not held up. */
  note(name: string, before: LastingFailure | undefined, after: LastingFailure | undefined): void {
    if (before === after) return
    if (after) this.#failures.set(name, after)
    else this.#failures.delete(name)
    this.#oldest = undefined
  }

  /** Returns undefined if no runner is held up. */
  summary(): Delays | undefined {
    this.#oldest ??= oldestOf(this.#failures.values())
    return this.#oldest && { count: this.#failures.size, oldest: this.#oldest }
  }
}

function oldestOf(failures: Iterable<LastingFailure>): LastingFailure | undefined {
  let first: LastingFailure | undefined
  for (const failure of failures) if (!first || failure.since < first.since) first = failure
  return first
}
