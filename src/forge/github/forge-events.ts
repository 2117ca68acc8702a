// From the job messages of GitHub to the news of the port.
import type { Instant } from '../../lib/clock.ts'
import type { ForgeEvent } from '../forge.ts'
import type { Message } from './messages.ts'

/** A job that ended without ever reaching a runner is no runner's news: the demand beside it tells. `now` stands in for a time that is not given. */
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
