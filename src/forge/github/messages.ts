// What a scale set's messages say (scale-set protocol 9.3 to 9.5). Whatever cannot be read is named and skipped, never in the way of the rest.
import type { Instant } from '../../lib/clock.ts'
import { asWire, field, instantField, integerField, textField, type Wire } from './wire.ts'

export type Statistics = {
  readonly availableJobs: number
  readonly acquiredJobs: number
  /** Assigned to the set, waiting for a runner or running: the scaling input. */
  readonly assignedJobs: number
}

export type JobMessage = {
  readonly kind: 'available' | 'assigned' | 'started' | 'completed'
  /** Identity of one assignment attempt; undefined on older servers. Jobs of one run share the run's id, never this. */
  readonly jobId: string | undefined
  /** Only for acquiring; 0 on github.com, and never an identity there. */
  readonly requestId: number
  readonly name: string
  /** `owner/name` */
  readonly repository: string
  /** Undefined where the job never reached a runner. */
  readonly runner: string | undefined
  readonly result: string
  readonly queuedAt: Instant | undefined
  readonly startedAt: Instant | undefined
  readonly finishedAt: Instant | undefined
}

export type Message = {
  readonly id: number
  readonly jobs: readonly JobMessage[]
  /** Undefined where the message holds none: the last ones still stand. */
  readonly statistics: Statistics | undefined
  /** What could not be read, a sentence each. */
  readonly unread: readonly string[]
}

const kinds = new Map<string, JobMessage['kind']>([
  ['jobavailable', 'available'],
  ['jobassigned', 'assigned'],
  ['jobstarted', 'started'],
  ['jobcompleted', 'completed'],
])

/** Undefined when not even the id can be read: such a message cannot be acknowledged. */
export function readMessage(value: unknown): Message | undefined {
  const wire = asWire(value)
  const id = wire && integerField(wire, 'messageId')
  if (!wire || !id) return undefined
  const statistics = readStatistics(field(wire, 'statistics'))
  const type = textField(wire, 'messageType', 100) ?? 'none'
  if (type.toLowerCase() !== 'runnerscalesetjobmessages') {
    return { id, jobs: [], statistics, unread: [`message ${id} is of the unknown type ${type}`] }
  }
  const unread = statistics ? [] : [`message ${id} has no statistics`]
  const jobs: JobMessage[] = []
  for (const entry of readBody(field(wire, 'body'))) {
    const job = readJob(entry)
    if (typeof job === 'string') unread.push(`message ${id}: ${job}`)
    else jobs.push(job)
  }
  return { id, jobs, statistics, unread }
}

/** Undefined unless the one number that matters is there: unknown is never zero. */
export function readStatistics(value: unknown): Statistics | undefined {
  const wire = asWire(value)
  const assignedJobs = wire && integerField(wire, 'totalAssignedJobs')
  if (!wire || assignedJobs === undefined) return undefined
  return {
    assignedJobs,
    availableJobs: integerField(wire, 'totalAvailableJobs') ?? 0,
    acquiredJobs: integerField(wire, 'totalAcquiredJobs') ?? 0,
  }
}

/** A JSON text that holds an array; empty or absent is none. What is not an array counts as one unreadable entry. */
function readBody(body: unknown): readonly unknown[] {
  if (body === undefined || body === null || body === '') return []
  try {
    const entries: unknown = typeof body === 'string' ? JSON.parse(body) : body
    return Array.isArray(entries) ? entries : [entries]
  } catch {
    return [undefined]
  }
}

function readJob(entry: unknown): JobMessage | string {
  const wire = asWire(entry)
  if (!wire) return 'an entry of its body cannot be read'
  const type = textField(wire, 'messageType', 100) ?? 'none'
  const kind = kinds.get(type.toLowerCase())
  if (!kind) return `an entry is of the unknown type ${type}`
  return {
    kind,
    jobId: textField(wire, 'jobId'),
    requestId: integerField(wire, 'runnerRequestId') ?? 0,
    name: textField(wire, 'jobDisplayName') ?? '',
    repository: repositoryOf(wire),
    runner: textField(wire, 'runnerName'),
    result: textField(wire, 'result') ?? 'unknown',
    queuedAt: instantField(wire, 'queueTime'),
    startedAt: instantField(wire, 'runnerAssignTime'),
    finishedAt: instantField(wire, 'finishTime'),
  }
}

function repositoryOf(wire: Wire): string {
  return [textField(wire, 'ownerName'), textField(wire, 'repositoryName')].filter(Boolean).join('/')
}
