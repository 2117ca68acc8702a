// Turns GitHub's job messages into the events of the port.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { Message } from './messages.ts'

/**
 * Returns the events of the message's runners. A job that ended without reaching a runner has no event: only the demand
 * changes. `now` replaces a time that the message does not state.
 */
export function forgeEventsOf(message: Message, now: Instant): readonly ForgeEvent[] {
  return message.jobs.flatMap((job): ForgeEvent[] => {
    if (job.runner === undefined) return []
    const id = job.jobId ?? `request-${job.requestId}`
    if (job.kind === 'completed') {
      return [{ kind: 'job-finished', runner: job.runner, jobId: id, result: job.result, at: job.finishedAt ?? now }]
    }
    if (job.kind !== 'started') return []
    const at = job.startedAt ?? now
    const queuedAt = job.queuedAt !== undefined && job.queuedAt <= at ? job.queuedAt : undefined
    return [
      {
        kind: 'job-started',
        runner: job.runner,
        job: { id, name: job.name, repository: job.repository },
        at,
        queuedAt,
      },
    ]
  })
}
