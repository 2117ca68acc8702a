// A scale set's message queue (docs/reference/scale-set-protocol.md#s9). Job messages collect until a poll takes them as one envelope.
// The envelope is redelivered until it is acknowledged.
import type { Instant } from '@dayfly/kit/clock'
import type { Emulation } from './emulation.ts'
import { delayMessage, delayOf } from './outages.ts'
import type { Job, JobMessage, Message, ScaleSet } from './state.ts'
import { statisticsOf } from './statistics.ts'

export type JobMessageType = 'JobAvailable' | 'JobAssigned' | 'JobStarted' | 'JobCompleted'

/** Adds a job message to the set's next envelope. */
export function announce(emulation: Emulation, type: JobMessageType, job: Job): void {
  const { set } = job
  if (!set) return
  const { knobs } = emulation
  const message = jobMessage(emulation, type, job)
  if (type === 'JobCompleted' && knobs.completedDropped) return
  const delayMs = delayOf(knobs) + (type === 'JobCompleted' ? knobs.completedDelayMs : 0)
  const arrive = () => void set.pending.push(message)
  if (delayMs === 0) arrive()
  else delayMessage(emulation, `${type}:${job.jobId}`, delayMs, arrive)
}

/** Returns the oldest envelope after `lastMessageId`. If there is none, it creates one from the collected job messages. */
export function nextMessage(emulation: Emulation, set: ScaleSet, lastMessageId: number): Message | undefined {
  const known = set.messages.find((message) => message.id > lastMessageId)
  if (known || set.pending.length === 0) return known
  const batch = set.pending.splice(0, emulation.knobs.batchMax)
  const { ids } = emulation.state
  const id = Math.max(ids.message, lastMessageId) + 1
  ids.message = id
  const value = {
    messageId: id,
    messageType: 'RunnerScaleSetJobMessages',
    body: JSON.stringify(batch),
    statistics: statisticsOf(set),
  }
  const message = { id, value }
  set.messages.push(message)
  return message
}

/** Deletes a message. Returns whether it existed. */
export function acknowledge(set: ScaleSet, id: number): boolean {
  const index = set.messages.findIndex((message) => message.id === id)
  if (index >= 0) set.messages.splice(index, 1)
  return index >= 0
}

/** Returns one job message of an envelope's body. `acquirablejobs` lists the same shape. */
export function jobMessage(emulation: Emulation, type: JobMessageType, job: Job): JobMessage {
  const { spec, times, runner } = job
  const owner = spec.owner ?? 'my-org'
  const repository = spec.repository ?? 'my-repo'
  const instants = {
    queueTime: times.queuedAt,
    scaleSetAssignTime: times.assignedAt,
    runnerAssignTime: times.startedAt,
    finishTime: times.finishedAt,
  }
  return {
    messageType: type,
    runnerRequestId: emulation.knobs.mode === 'legacy' ? job.requestId : 0,
    jobId: job.jobId,
    ownerName: owner,
    repositoryName: repository,
    jobWorkflowRef: `${owner}/${repository}/.github/workflows/${spec.workflow ?? 'ci.yml'}@refs/heads/main`,
    jobDisplayName: spec.name,
    workflowRunId: job.runId,
    eventName: 'push',
    requestLabels: spec.labels,
    ...wireTimes(emulation, instants),
    ...(type === 'JobAvailable' && { acquireJobUrl: '' }),
    ...(type === 'JobStarted' && { runnerId: runner?.id ?? 0, runnerName: runner?.name ?? '' }),
    ...(type === 'JobCompleted' && {
      result: job.result ?? '',
      runnerId: runner?.id ?? 0,
      runnerName: runner?.name ?? '',
    }),
  }
}

function wireTimes(emulation: Emulation, instants: Readonly<Record<string, Instant | undefined>>): JobMessage {
  const unset = { year1: '0001-01-01T00:00:00Z', null: null, absent: undefined }[emulation.knobs.zeroTimes]
  const wire: Record<string, unknown> = {}
  for (const [name, at] of Object.entries(instants)) {
    const value = at === undefined ? unset : new Date(at).toISOString()
    if (value !== undefined) wire[name] = value
  }
  return wire
}
