// Restores what an earlier kubelet knew of a pod's containers. The runtime decides which containers exist and how they ended.
// The pod's status shows what the runtime has forgotten. A container that must not restart is not started a second time.
import type { Instant } from '@dayfly/kit/clock'
import { field, integer, isObject, text } from '../api/values/json.ts'
import type { AdoptedContainer, ContainerId } from '../runtime/runtime.ts'
import type { PodContext } from './context.ts'
import { isFinal } from './phase.ts'
import { type ContainerRecord, idOf, type Terminated } from './record.ts'
import { adoptContainer } from './start-container.ts'

type Status = { readonly name: string; readonly restartCount: number; readonly [field: string]: unknown }

/** @param left the pod's containers that the runtime still knows. Resolves when those that have ended are recorded. */
export async function restoreRecords(context: PodContext, left: readonly ContainerId[]): Promise<void> {
  const { initContainerStatuses = [], containerStatuses = [] } = context.pod().status
  const statuses: readonly Status[] = [...initContainerStatuses, ...containerStatuses]
  // All are adopted before this function waits, so that each container knows its living siblings.
  const ends = context.records.map((record) => {
    const status = statuses.find(({ name }) => name === record.spec.name)
    const attempts = left.filter(({ name }) => name === record.spec.name).map(({ attempt }) => attempt)
    return restore(context, record, status, Math.max(-1, ...attempts))
  })
  await Promise.all(ends)
}

/** @param latest the number of the last attempt that the runtime knows; -1 if it knows none. */
function restore(
  context: PodContext,
  record: ContainerRecord,
  status: Status | undefined,
  latest: number,
): Promise<void> | undefined {
  const now = context.clock.now()
  const reported = status === undefined ? undefined : reportOf(status, now)
  const attempt = Math.max(latest, reported?.attempt ?? -1)
  if (attempt < 0) return undefined
  record.attempt = attempt
  record.last = reported?.last
  const isTakenOver = latest === attempt && !isFinal(context.pod().status.phase)
  const adopted = isTakenOver ? context.runtime.adopt(idOf(context.pod(), record)) : undefined
  // A kubelet that was killed during a start may have reported the end of the attempt before with the new number.
  record.state =
    reported?.end ?? (adopted ? { is: 'running', startedAt: adopted.startedAt } : lost(reported?.startedAt, now))
  if (reported?.attempt === attempt) return adopted && adoptContainer(context, record, adopted, status)
  // The kubelet was killed before it reported this attempt.
  return Promise.all([
    recordBefore(context, record, reported?.end, attempt - 1),
    adopted && adoptContainer(context, record, adopted),
  ]).then(() => undefined)
}

/** Records the end of the attempt before the current one, which the status shows or the runtime knows. */
async function recordBefore(
  context: PodContext,
  record: ContainerRecord,
  reported: Terminated | undefined,
  attempt: number,
): Promise<void> {
  record.last = reported
  if (reported !== undefined || attempt < 0) return
  const before = context.runtime.adopt({ ...idOf(context.pod(), record), attempt })
  if (before !== undefined) record.last = await endOfAdopted(before)
}

async function endOfAdopted({ startedAt, ended }: AdoptedContainer): Promise<Terminated> {
  const { exitCode, finishedAt, reason, message } = await ended
  const usual = exitCode === 0 ? 'Completed' : 'Error'
  return { is: 'terminated', exitCode, reason: reason ?? usual, message, startedAt, finishedAt }
}

type Report = {
  readonly attempt: number
  /** Undefined if the attempt was still running. */
  readonly end: Terminated | undefined
  readonly startedAt: Instant | undefined
  readonly last: Terminated | undefined
}

/** Returns what the status says of the last attempt, or undefined if there was none. */
function reportOf(status: Status, now: Instant): Report | undefined {
  const attempt = status.restartCount
  const last = endOf(field(status, 'lastState', 'terminated'), now)
  const end = endOf(field(status, 'state', 'terminated'), now)
  if (end) return { attempt, end, startedAt: end.startedAt, last }
  if (isObject(field(status, 'state', 'running'))) {
    const startedAt = instantOf(text(status, 'state', 'running', 'startedAt'))
    return { attempt, end: undefined, startedAt, last }
  }
  // A container in its back-off shows its end as the last state. A new kubelet knows no back-off.
  return last && { attempt, end: last, startedAt: last.startedAt, last: undefined }
}

function endOf(terminated: unknown, now: Instant): Terminated | undefined {
  if (!isObject(terminated)) return undefined
  return {
    is: 'terminated',
    exitCode: integer(terminated, 'exitCode'),
    reason: text(terminated, 'reason'),
    message: text(terminated, 'message') || undefined,
    startedAt: instantOf(text(terminated, 'startedAt')),
    finishedAt: instantOf(text(terminated, 'finishedAt')) ?? now,
  }
}

/** The end of a container that no longer exists, for example because the machine was restarted. */
function lost(startedAt: Instant | undefined, finishedAt: Instant): Terminated {
  return {
    is: 'terminated',
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    startedAt,
    finishedAt,
  }
}

function instantOf(time: string): Instant | undefined {
  return time === '' ? undefined : Date.parse(time)
}
