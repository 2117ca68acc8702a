// Remembers which messages have been handled, so that a message that is delivered again has no second effect.
import { createHash } from 'node:crypto'
import type { Message } from './messages.ts'

const rememberedMax = 100

/**
 * Ids belong to a session: a new one may count from the start again. So a message of an earlier session is the same
 * only if its content is the same, too.
 */
export class HandledMessages {
  readonly #messages = new Map<number, { readonly sessionId: string; readonly digest: string }>()

  has(message: Message, sessionId: string): boolean {
    const handled = this.#messages.get(message.id)
    return handled !== undefined && (handled.sessionId === sessionId || handled.digest === digestOf(message))
  }

  add(message: Message, sessionId: string): void {
    this.#messages.delete(message.id)
    this.#messages.set(message.id, { sessionId, digest: digestOf(message) })
    const [oldest] = this.#messages.keys()
    if (this.#messages.size > rememberedMax && oldest !== undefined) this.#messages.delete(oldest)
  }

  /** The ids of another scale set mean other messages. */
  clear(): void {
    this.#messages.clear()
  }
}

function digestOf({ jobs, statistics }: Message): string {
  return createHash('sha256')
    .update(JSON.stringify([jobs, statistics]))
    .digest('base64')
}
