// The state of the election, for health checks and the log.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { ElectionState } from '@dayfly/kubernetes/election'
import { messageOf } from './act/unsuccessful.ts'
import type { Journal } from './journal.ts'
import { faultOf } from './watch-health.ts'

export type ElectionView = {
  /** Undefined until this process has seen who leads. */
  readonly state: ElectionState | undefined
  /** When the Lease was last read or written, or the attempt failed. */
  readonly turnedAt: Instant
  /** Why the last attempt failed; undefined after a success. */
  readonly failure: string | undefined
}

export class ElectionHealth {
  readonly #clock: Clock
  readonly #journal: Journal
  #state: ElectionState | undefined
  #turnedAt: Instant
  #failure: string | undefined

  constructor(clock: Clock, journal: Journal) {
    this.#clock = clock
    this.#journal = journal
    this.#turnedAt = clock.now()
  }

  view(): ElectionView {
    return { state: this.#state, turnedAt: this.#turnedAt, failure: this.#failure }
  }

  readonly onState = (state: ElectionState): void => {
    this.#state = state
  }

  readonly onTurn = (error: unknown): void => {
    this.#turnedAt = this.#clock.now()
    const before = this.#failure
    this.#failure = error === undefined ? undefined : messageOf(error)
    if (this.#failure === before) return
    if (this.#failure === undefined) this.#journal.write({ kind: 'election-recovered' })
    else this.#journal.write({ kind: 'election-failed', message: this.#failure, by: faultOf(error) })
  }
}
