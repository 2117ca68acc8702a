// Jobs that older servers only offer: they must be asked for, and only as many as there is room for (scale-set protocol 10).
import { GitHubError } from './errors.ts'
import type { Message } from './messages.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'
import type { MessageSession } from './session.ts'

export class Offers {
  /** Offered and not yet asked for: there was no room, or the asking failed. */
  readonly #open = new Set<number>()

  /** Asks for what there is room for. An answer without an id says that somebody else has the job; a failure is told, and the offer stays open. */
  async acquire(
    message: Message,
    session: MessageSession,
    room: { readonly capacity: () => number; readonly anomalies: ReportAnomaly },
    signal: AbortSignal,
  ): Promise<void> {
    for (const job of message.jobs) if (job.kind === 'available' && job.requestId > 0) this.#open.add(job.requestId)
    for (const job of message.jobs) if (job.kind !== 'available') this.#open.delete(job.requestId)
    const taken = message.statistics ? message.statistics.assignedJobs + message.statistics.acquiredJobs : 0
    const wanted = [...this.#open].slice(0, Math.max(0, room.capacity() - taken))
    if (wanted.length === 0) return
    try {
      await session.acquire(wanted, signal)
      for (const id of wanted) this.#open.delete(id)
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      room.anomalies(
        'acquire-failed',
        `${wanted.length} offered jobs could not be acquired: ${error.message}`,
        error.details,
      )
    }
  }
}
