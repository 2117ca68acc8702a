// Takes in the messages of one scale set: acquires offered jobs, and keeps repeated and unreadable messages from doing harm.
import type { Clock } from '@dayfly/kit/clock'
import { badAnswer, GitHubError } from '../calls/errors.ts'
import type { Claim } from '../scale-set/claim.ts'
import { HandledMessages } from './handled-messages.ts'
import type { StepResult } from './listener-state.ts'
import type { Envelope, Message } from './messages.ts'
import { Offers } from './offers.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'
import type { MessageSession } from './session.ts'

export type MessageIntakeOptions = {
  readonly claim: Claim
  readonly clock: Clock
  readonly anomalies: ReportAnomaly
  readonly signal: AbortSignal
}

type Result<Is extends string> = Extract<StepResult<MessageSession>, { is: Is }>

export class MessageIntake {
  readonly #options: MessageIntakeOptions
  #offers = new Offers()
  readonly #handled = new HandledMessages()

  constructor(options: MessageIntakeOptions) {
    this.#options = options
  }

  /** A message that has been handled is only acknowledged again. */
  async receive(message: Message, session: MessageSession): Promise<Result<'received' | 'repeated'>> {
    const { anomalies, claim, clock, signal } = this.#options
    if (this.#handled.has(message, session.id)) {
      const messageId = String(message.id)
      anomalies('message-repeated', `GitHub delivered message ${messageId} again after it was handled.`)
      return { is: 'repeated', messageId, error: await this.#acknowledge(messageId, session) }
    }
    for (const sentence of message.unread) anomalies('message-unreadable', sentence)
    await this.#offers.acquire(message, session, { now: clock.now(), capacity: claim.set.max, anomalies, signal })
    return { is: 'received' }
  }

  /** Deletes the message after its last delivery, if its id can be read. */
  async reject(
    { why, messageId }: Extract<Envelope, { is: 'unreadable' }>,
    session: MessageSession,
    isLast: boolean,
  ): Promise<Result<'unreadable'>> {
    const name = messageId === undefined ? 'A message' : `Message ${messageId}`
    this.#options.anomalies('message-unreadable', `${name} cannot be read: ${why}.`)
    if (isLast && messageId !== undefined) await this.#acknowledge(messageId, session)
    return { is: 'unreadable', messageId, error: badAnswer(`a message cannot be read (${why})`) }
  }

  markHandled(message: Message, session: MessageSession): void {
    this.#handled.add(message, session.id)
  }

  /** Another scale set has other messages and other offers. */
  forget(): void {
    this.#handled.clear()
    this.#offers = new Offers()
  }

  async #acknowledge(messageId: string, session: MessageSession): Promise<GitHubError | undefined> {
    try {
      await session.acknowledge(messageId)
      return undefined
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      const sentence = `Message ${messageId} cannot be deleted: ${error.message}`
      this.#options.anomalies('acknowledge-failed', sentence, error.details)
      return error
    }
  }
}
