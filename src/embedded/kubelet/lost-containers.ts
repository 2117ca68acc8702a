// The containers that an earlier kubelet reported and that no longer exist, for example because the machine was restarted.
// They have ended. A container that must not restart is not started a second time.
import type { Instant } from '../../lib/clock.ts'
import { field, integer, isObject, text } from '../api/json.ts'
import type { PodContext } from './context.ts'
import type { Terminated } from './record.ts'

/** Call it when every container that survived is adopted. */
export function recordLostContainers({ pod, records, clock }: PodContext): void {
  const { initContainerStatuses = [], containerStatuses = [] } = pod().status
  const known = [...initContainerStatuses, ...containerStatuses]
  for (const record of records) {
    const status = known.find(({ name }) => name === record.spec.name)
    if (record.state.is !== 'waiting' || status === undefined) continue
    const ended = endOf(field(status, 'state'), clock.now())
    if (ended === undefined) continue
    record.attempt = status.restartCount
    record.state = ended
  }
}

function endOf(state: unknown, now: Instant): Terminated | undefined {
  const terminated = field(state, 'terminated')
  if (isObject(terminated)) {
    return {
      is: 'terminated',
      exitCode: integer(terminated, 'exitCode'),
      reason: text(terminated, 'reason'),
      message: text(terminated, 'message') || undefined,
      startedAt: instantOf(text(terminated, 'startedAt')),
      finishedAt: instantOf(text(terminated, 'finishedAt')) ?? now,
    }
  }
  if (!isObject(field(state, 'running'))) return undefined
  return {
    is: 'terminated',
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    startedAt: instantOf(text(state, 'running', 'startedAt')),
    finishedAt: now,
  }
}

function instantOf(time: string): Instant | undefined {
  return time === '' ? undefined : Date.parse(time)
}
