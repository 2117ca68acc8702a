// Acquires the jobs that older servers only offer, and only as many as the set has room for
// (docs/reference/scale-set-protocol.md#s10).
import type { Instant } from '@dayfly/kit/clock'
import { GitHubError } from '../calls/errors.ts'
import type { Message } from './messages.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'
import type { MessageSession } from './session.ts'

export type OffersContext = {
  readonly now: Instant
  readonly capacity: number
  readonly anomalies: ReportAnomaly
  readonly signal: AbortSignal
}

/** How long an acquired job takes up room, in milliseconds, if the statistics do not show it. */
const acquiredMs = 60_000

export class Offers {
  /** Request ids of offers that were not requested yet: there was no room, or the request failed. */
  readonly #open = new Set<number>()
  /** Request ids of jobs that GitHub granted and that no message has shown as assigned yet, with the end of their claim to room. */
  readonly #acquired = new Map<number, Instant>()

  /** Requests as many open offers as there is room for. Only the granted ones take up room. A failure is reported, and its offers stay open. */
  async acquire(message: Message, session: MessageSession, context: OffersContext): Promise<void> {
    const { now, capacity, anomalies, signal } = context
    this.#read(message, now)
    const { assignedJobs = 0, acquiredJobs = 0 } = message.statistics ?? {}
    const taken = assignedJobs + Math.max(acquiredJobs, this.#acquired.size)
    const wanted = [...this.#open].slice(0, Math.max(0, capacity - taken))
    if (wanted.length === 0) return
    try {
      const granted = await session.acquire(wanted, signal)
      for (const id of wanted) {
        this.#open.delete(id)
        // An offer that was not granted went to another listener or was withdrawn.
        if (granted.includes(id)) this.#acquired.set(id, now + acquiredMs)
      }
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      anomalies(
        'acquire-failed',
        `${wanted.length} offered jobs could not be acquired: ${error.message}`,
        error.details,
      )
    }
  }

  #read(message: Message, now: Instant): void {
    for (const [id, until] of this.#acquired) if (until <= now) this.#acquired.delete(id)
    const offered = message.jobs.filter(({ kind, requestId }) => kind === 'available' && requestId > 0)
    for (const { requestId } of offered) if (!this.#acquired.has(requestId)) this.#open.add(requestId)
    for (const { kind, requestId } of message.jobs) {
      if (kind === 'available') continue
      this.#open.delete(requestId)
      this.#acquired.delete(requestId)
    }
  }
}
