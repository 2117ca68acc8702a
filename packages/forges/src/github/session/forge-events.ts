// Turns GitHub's job messages into the events of the port.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { JobMessage, Message } from './messages.ts'

/** Returns the events of the message's jobs. `now` replaces a time that the message does not state. */
export function forgeEventsOf(message: Message, now: Instant): readonly ForgeEvent[] {
  return message.jobs.flatMap((message) => forgeEventOf(message, now) ?? [])
}

function forgeEventOf(message: JobMessage, now: Instant): ForgeEvent | undefined {
  const { kind, runner, name, repository, origin, queuedAt, assignedAt, result } = message
  const id = message.jobId ?? `request-${message.requestId}`
  const job = { id, name, repository, origin }
  if (kind === 'assigned') return { kind: 'job-waits', job, queuedAt: queuedAt ?? now, assignedAt }
  if (kind === 'completed' && runner === undefined) return { kind: 'job-dropped', jobId: id, result }
  if (runner === undefined) return undefined
  if (kind === 'completed')
    return { kind: 'job-finished', runner, jobId: id, job, result, at: message.finishedAt ?? now }
  if (kind !== 'started') return undefined
  const at = message.startedAt ?? now
  return {
    kind: 'job-started',
    runner,
    job,
    at,
    queuedAt: queuedAt !== undefined && queuedAt <= at ? queuedAt : undefined,
  }
}
