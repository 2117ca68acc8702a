// The events of a set whose forge is polled: each result of the shared poll becomes one batch.
import type { Clock } from '@dayfly/kit/clock'
import { abortable } from '@dayfly/kit/signals'
import type { ForgeEventBatch } from '@dayfly/runner-set/forge/forge'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { PortError } from '@dayfly/runner-set/model/port-error'
import { Deliveries } from './deliveries.ts'
import type { PollResult, SharedPoll } from './shared-poll.ts'

export type PolledEventsOptions<View extends { readonly at: number }> = {
  readonly poll: SharedPoll<View>
  readonly clock: Clock
  /** Compares the view with the last one. Every view comes once, in order. */
  readonly eventsOf: (view: View) => readonly ForgeEvent[]
  readonly failureOf: (error: PortError) => Failure
}

export class PolledEvents<View extends { readonly at: number }> {
  readonly #options: PolledEventsOptions<View>
  readonly #deliveries: Deliveries
  #result: PollResult<View> | undefined
  /** The reason of the failure that was reported; undefined while the demand is known. */
  #reported: string | undefined
  #wake: () => void = () => {}

  constructor(options: PolledEventsOptions<View>) {
    this.#options = options
    this.#deliveries = new Deliveries(options.clock, () => {})
  }

  /** Ends with the signal. */
  async *batches(signal: AbortSignal): AsyncGenerator<ForgeEventBatch> {
    const unsubscribe = this.#options.poll.subscribe((result) => {
      this.#result = result
      this.#wake()
    })
    try {
      while (!signal.aborted) {
        const batch = await this.#next(signal)
        if (batch) yield batch
      }
    } finally {
      unsubscribe()
    }
  }

  /** Reads the last view again, because the set has changed. */
  again(): void {
    const { view } = this.#options.poll
    if (view && !this.#result) this.#result = { is: 'listed', view }
    this.#wake()
  }

  /** Returns the next batch; undefined if there is nothing to report. */
  async #next(signal: AbortSignal): Promise<ForgeEventBatch | undefined> {
    try {
      const again = await this.#deliveries.settle(signal)
      if (again) return again
      const events = this.#takeEvents()
      if (events.length > 0) return this.#deliveries.deliver(events)
      if (!this.#result) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        await abortable(woken, signal)
      }
      return undefined
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }

  #takeEvents(): readonly ForgeEvent[] {
    const result = this.#result
    this.#result = undefined
    if (!result) return []
    if (result.is === 'failed') return this.#failing(result)
    this.#reported = undefined
    return this.#options.eventsOf(result.view)
  }

  #failing({ error, since }: Extract<PollResult<View>, { is: 'failed' }>): readonly ForgeEvent[] {
    const failure = this.#options.failureOf(error)
    if (this.#reported === failure.reason) return []
    this.#reported = failure.reason
    return [{ kind: 'failing', failure, since }]
  }
}
