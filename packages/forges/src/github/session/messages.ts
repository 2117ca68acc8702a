// Reads the messages of a scale set (docs/reference/scale-set-protocol.md#s9-3). An entry that cannot be read is named
// and skipped, so that it does not hold up the rest.
import type { Instant } from '@dayfly/kit/clock'
import type { Body } from '@dayfly/kit/http'
import { asJsonObject } from '@dayfly/kit/read-json'
import type { ForgeRunners, JobOrigin } from '@dayfly/runner-set/model/forge-event'
import { withoutTokens } from '../calls/errors.ts'
import { field, instantField, integerField, textField, type Wire } from '../calls/wire.ts'

export type Statistics = {
  readonly availableJobs: number
  readonly acquiredJobs: number
  /** Jobs that are assigned to the set and wait for a runner or run: the scaling input. */
  readonly assignedJobs: number
  /** Undefined on a server that does not count its runners. */
  readonly runners: ForgeRunners | undefined
}

export type JobMessage = {
  readonly kind: 'available' | 'assigned' | 'started' | 'completed'
  /** Identifies one assignment attempt; undefined on older servers. Jobs of one run share the run's id, never this one. */
  readonly jobId: string | undefined
  /** Used only to acquire the job; 0 on github.com, so it does not identify a job there. */
  readonly requestId: number
  readonly name: string
  /** `owner/name` */
  readonly repository: string
  readonly origin: JobOrigin
  /** Undefined if the job never reached a runner. */
  readonly runner: string | undefined
  readonly result: string
  readonly queuedAt: Instant | undefined
  /** When GitHub gave the job to the scale set. */
  readonly assignedAt: Instant | undefined
  readonly startedAt: Instant | undefined
  readonly finishedAt: Instant | undefined
}

export type Message = {
  readonly id: number
  readonly jobs: readonly JobMessage[]
  /** Undefined if the message has none: the last statistics stay valid. */
  readonly statistics: Statistics | undefined
  /** One sentence for each part that could not be read. */
  readonly unread: readonly string[]
}

export type Envelope =
  | { readonly is: 'message'; readonly message: Message }
  /** `messageId` is the exact id where the text shows one, also if the rest is cut off or the id exceeds 2^53. */
  | { readonly is: 'unreadable'; readonly why: string; readonly messageId: string | undefined }

const kinds = new Map<string, JobMessage['kind']>([
  ['jobavailable', 'available'],
  ['jobassigned', 'assigned'],
  ['jobstarted', 'started'],
  ['jobcompleted', 'completed'],
])

/** Needs the character after the last digit: a text that is cut off there may have lost digits. */
const exactId = /"messageId"\s*:\s*"?0*([1-9]\d{0,39})["\s,}]/i

/** Reads the body of a poll's response: JSON, or the text that was received. */
export function readEnvelope(body: Body): Envelope {
  const text = body.kind === 'text' ? body.text : ''
  const value = body.kind === 'json' ? body.value : parsed(text)
  const message = readMessage(value)
  if (message) return { is: 'message', message }
  const why = value === undefined ? `not JSON: ${withoutTokens(text).slice(0, 80)}` : 'no usable message id'
  return { is: 'unreadable', why, messageId: exactId.exec(text)?.[1] }
}

/** Returns undefined if the id cannot be read. */
export function readMessage(value: unknown): Message | undefined {
  const wire = asJsonObject(value)
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

/** Returns undefined without the number of assigned jobs: unknown is never zero. */
export function readStatistics(value: unknown): Statistics | undefined {
  const wire = asJsonObject(value)
  const assignedJobs = wire && integerField(wire, 'totalAssignedJobs')
  if (!wire || assignedJobs === undefined) return undefined
  const registered = integerField(wire, 'totalRegisteredRunners')
  const busy = integerField(wire, 'totalBusyRunners')
  return {
    assignedJobs,
    runners: registered === undefined || busy === undefined ? undefined : { registered, busy },
    availableJobs: integerField(wire, 'totalAvailableJobs') ?? 0,
    acquiredJobs: integerField(wire, 'totalAcquiredJobs') ?? 0,
  }
}

/** Reads a JSON text that holds an array; empty and absent mean no entry. Anything else counts as one unreadable entry. */
function readBody(body: unknown): readonly unknown[] {
  if (body === undefined || body === null || body === '') return []
  const entries = typeof body === 'string' ? parsed(body) : body
  return Array.isArray(entries) ? entries : [entries]
}

/** Returns undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readJob(entry: unknown): JobMessage | string {
  const wire = asJsonObject(entry)
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
    origin: originOf(wire),
    runner: textField(wire, 'runnerName'),
    result: textField(wire, 'result') ?? 'unknown',
    queuedAt: instantField(wire, 'queueTime'),
    assignedAt: instantField(wire, 'scaleSetAssignTime'),
    startedAt: instantField(wire, 'runnerAssignTime'),
    finishedAt: instantField(wire, 'finishTime'),
  }
}

function repositoryOf(wire: Wire): string {
  return [textField(wire, 'ownerName'), textField(wire, 'repositoryName')].filter(Boolean).join('/')
}

/** Reads `owner/name/.github/workflows/ci.yml@refs/heads/main` and the id of the run. */
function originOf(wire: Wire): JobOrigin {
  const [, workflow, ref] =
    /^[^@]*?([^/@]+)@(?:refs\/(?:heads|tags|pull)\/)?(.+)$/.exec(textField(wire, 'jobWorkflowRef') ?? '') ?? []
  const run = integerField(wire, 'workflowRunId')
  return {
    ...(workflow === undefined ? {} : { workflow }),
    ...(ref === undefined ? {} : { ref }),
    ...(run === undefined ? {} : { run: String(run) }),
  }
}
