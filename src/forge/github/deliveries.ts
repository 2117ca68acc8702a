// Hands batches of news to the consumer, one at a time: the next only after the one before was acknowledged, or came three times in vain.
import type { Clock } from '../../lib/clock.ts'
import type { News, NewsBatch } from '../forge.ts'
import type { Oddities } from './oddity.ts'

type Delivery = {
  readonly batch: NewsBatch
  tries: number
  acked: boolean
  /** What the acknowledgement still has to do at the forge. */
  done: Promise<void>
}

const triesMax = 3

export class Deliveries {
  readonly #clock: Clock
  readonly #oddities: Oddities
  #current: Delivery | undefined

  constructor(clock: Clock, oddities: Oddities) {
    this.#clock = clock
    this.#oddities = oddities
  }

  /** `onAck` runs once, as soon as the batch is acknowledged; what it rejects with is for the next `settle`. */
  deliver(news: readonly News[], onAck?: () => Promise<void> | void): NewsBatch {
    const ack = () => {
      if (delivery.acked) return
      delivery.acked = true
      delivery.done = Promise.resolve(onAck?.())
      // Looked at by the next step; until then it must not count as unhandled.
      delivery.done.catch(() => undefined)
    }
    const delivery: Delivery = { batch: { news, ack }, tries: 1, acked: false, done: Promise.resolve() }
    this.#current = delivery
    return delivery.batch
  }

  /** Resolves with the batch before if it must come again, else when its acknowledgement is through at the forge. */
  async settle(signal: AbortSignal): Promise<NewsBatch | undefined> {
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
      this.#oddities('message-unhandled', `News was not taken over in ${triesMax} tries and is given up.`)
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
