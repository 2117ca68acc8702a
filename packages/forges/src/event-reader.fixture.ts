// Reads a link's events for the contract and the tests. It keeps them, acknowledges each batch by default, and waits for
// the event that a test expects.
import type { ForgeEventBatch, Link } from '@dayfly/runner-set/forge/forge'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'

export type ForgeEventReader = {
  readonly events: ForgeEvent[]
  /** When false, the test acknowledges the batches. */
  ackAll: boolean
  readonly batches: ForgeEventBatch[]
  /** Resolves when the stream has ended. */
  ended: Promise<void>
  /** Resolves with the first matching event, of those received and those to come. */
  find<K extends ForgeEvent['kind']>(
    kind: K,
    fits?: (events: Extract<ForgeEvent, { kind: K }>) => boolean,
  ): Promise<Extract<ForgeEvent, { kind: K }>>
  /** Forgets the events and batches received so far. */
  clear(): void
}

export function readForgeEvents(link: Link): ForgeEventReader {
  const wake: (() => void)[] = []
  const events: ForgeEvent[] = []
  const batches: ForgeEventBatch[] = []
  const reader: ForgeEventReader = {
    events,
    batches,
    ackAll: true,
    ended: Promise.resolve(),
    find: async (kind, fits = () => true) => {
      for (;;) {
        const found = events.find((one) => one.kind === kind && fits(one as never))
        if (found) return found as never
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    clear: () => {
      events.length = 0
      batches.length = 0
    },
  }
  const read = async () => {
    for await (const batch of link.events()) {
      batches.push(batch)
      events.push(...batch.events)
      if (reader.ackAll) batch.ack()
      for (const call of wake.splice(0)) call()
    }
  }
  reader.ended = read()
  return reader
}
