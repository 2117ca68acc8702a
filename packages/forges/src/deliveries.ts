// Hands batches of events to the consumer, one at a time. The next one follows only after the last was acknowledged,
// or was delivered three times without success.
import type { Clock } from '@dayfly/kit/clock'
import type { ForgeEventBatch } from '@dayfly/runner-set/forge/forge'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'

type Delivery = {
  readonly batch: ForgeEventBatch
  tries: number
  acked: boolean
  /** The work at the forge that the acknowledgement started. */
  done: Promise<void>
}

const triesMax = 3

export class Deliveries {
  readonly #clock: Clock
  readonly #onDropped: (sentence: string) => void
  #current: Delivery | undefined

  /** @param onDropped called for a batch that nothing acknowledged */
  constructor(clock: Clock, onDropped: (sentence: string) => void) {
    this.#clock = clock
    this.#onDropped = onDropped
  }

  /** Calls `onAck` once, as soon as the batch is acknowledged. The next `settle` rejects with its error. */
  deliver(events: readonly ForgeEvent[], onAck?: () => Promise<void> | void): ForgeEventBatch {
    const ack = () => {
      if (delivery.acked) return
      delivery.acked = true
      delivery.done = Promise.resolve(onAck?.())
      // The next step handles the rejection; until then Node must not report it as unhandled.
      delivery.done.catch(() => undefined)
    }
    const delivery: Delivery = { batch: { events, ack }, tries: 1, acked: false, done: Promise.resolve() }
    this.#current = delivery
    return delivery.batch
  }

  /** Resolves with the last batch if it must be delivered again, else when its acknowledgement at the forge is complete. */
  async settle(signal: AbortSignal): Promise<ForgeEventBatch | undefined> {
    const delivery = this.#current
    if (!delivery) return undefined
    if (!delivery.acked && delivery.tries < triesMax) {
      await this.#clock.sleep(1_000 * delivery.tries, signal)
      if (!delivery.acked) {
        delivery.tries++
        return delivery.batch
      }
    }
    if (!delivery.acked) {
      const sentence = `A batch of ${delivery.batch.events.length} events was not acknowledged in ${triesMax} deliveries and is dropped.`
      this.#onDropped(sentence)
      delivery.batch.ack()
    }
    this.#current = undefined
    await delivery.done
    return undefined
  }

  /** Resolves when no acknowledgement is in progress; never rejects. */
  async idle(): Promise<void> {
    await this.#current?.done.catch(() => undefined)
  }
}
