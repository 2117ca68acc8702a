// Decides the states of containers that still wait when their pod ends.
import type { Instant } from '@dayfly/kit/clock'
import { type ContainerRecord, hasBegun, hasRun } from './record.ts'

/** Forgets why containers wait. A container in a back-off shows its last end again. */
export function forgetWaiting(records: readonly ContainerRecord[]): void {
  for (const record of records) {
    if (record.state.is !== 'waiting') continue
    record.stopWaiting()
    record.state = record.last ?? { is: 'waiting', reason: undefined, message: undefined }
    record.last = undefined
  }
}

/** Marks containers that never ran as unknown, except those whose turn had not come (Kubernetes: TerminatePod in pkg/kubelet/status). */
export function giveUpWaiting(records: readonly ContainerRecord[], now: Instant): void {
  const inits = records.filter(({ role }) => role !== 'regular')
  const tried = inits.slice(0, Math.max(1, inits.findLastIndex(hasRun) + 1))
  const regular = isInitialised(records, inits.at(-1)) ? records.filter(({ role }) => role === 'regular') : []
  for (const record of [...tried, ...regular]) {
    if (record.state.is !== 'waiting') continue
    record.state = {
      is: 'terminated',
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
      startedAt: undefined,
      finishedAt: now,
    }
  }
}

function isInitialised(records: readonly ContainerRecord[], lastInit: ContainerRecord | undefined): boolean {
  if (hasBegun(records) || lastInit === undefined) return true
  const { role, state, started } = lastInit
  return role === 'sidecar' ? state.is === 'running' && started : state.is === 'terminated' && state.exitCode === 0
}
