// Hands batches of news to the consumer, one at a time: the next only after the one before was acknowledged, or came three times in vain.
import type { Clock } from '../../lib/clock.ts'
import type { ForgeEvent, ForgeEventBatch } from '../forge.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'

type Delivery = {
  readonly batch: ForgeEventBatch
  tries: number
  acked: boolean
  /** What the acknowledgement still has to do at the forge. */
  done: Promise<void>
}

const triesMax = 3

export class Deliveries {
  readonly #clock: Clock
  readonly #anomalies: ReportAnomaly
  #current: Delivery | undefined

  constructor(clock: Clock, anomalies: ReportAnomaly) {
    this.#clock = clock
    this.#anomalies = anomalies
  }

  /** `onAck` runs once, as soon as the batch is acknowledged; what it rejects with is for the next `settle`. */
  deliver(events: readonly ForgeEvent[], onAck?: () => Promise<void> | void): ForgeEventBatch {
    const ack = () => {
      if (delivery.acked) return
      delivery.acked = true
      delivery.done = Promise.resolve(onAck?.())
      // Looked at by the next step; until then it must not count as unhandled.
      delivery.done.catch(() => undefined)
    }
    const delivery: Delivery = { batch: { events, ack }, tries: 1, acked: false, done: Promise.resolve() }
    this.#current = delivery
    return delivery.batch
  }

  /** Resolves with the batch before if it must come again, else when its acknowledgement is through at the forge. */
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
      this.#anomalies('message-unhandled', `News was not taken over in ${triesMax} tries and is given up.`)
      delivery.batch.ack()
    }
    this.#current = undefined
    await delivery.done
    return undefined
  }

  /** Resolves when no acknowledgement is under way; never rejects. */
  async idle(): Promise<void> {
    await this.#current?.done.catch(() => undefined)
  }
}
