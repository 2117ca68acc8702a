// Computes a pod's phase from its containers' states (Kubernetes: kubelet_pods.go, getPhase).
import type { RestartPolicy } from './pod.ts'
import { type ContainerRecord, hasBegun, hasRun, shouldRestart } from './record.ts'

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

/** Whether a pod with this phase has ended. */
export function isFinal(phase: string): phase is 'Succeeded' | 'Failed' {
  return phase === 'Succeeded' || phase === 'Failed'
}

/** @param isOver whether no container will be started again, because the pod's work is done or it is being deleted. */
export function phaseOf(records: readonly ContainerRecord[], podPolicy: RestartPolicy, isOver: boolean): Phase {
  const regular = records.filter(({ role }) => role === 'regular')
  if (initFailed(records, podPolicy)) return 'Failed'
  if (isInitPending(records) && !hasBegun(records)) return 'Pending'
  if (regular.some((record) => !hasRun(record))) return 'Pending'
  const sidecars = records.filter(({ role }) => role === 'sidecar')
  if (sidecars.some((record) => !hasRun(record) && record.state.is === 'waiting')) return 'Pending'
  if ([...sidecars, ...regular].some(({ state }) => state.is === 'running')) return 'Running'
  const isGood = regular.every((record) => endOf(record)?.exitCode === 0)
  if (isOver) return isGood ? 'Succeeded' : 'Failed'
  const restarts = regular.some((record) => shouldRestart(record, endOf(record)?.exitCode ?? 0, podPolicy))
  if (restarts) return 'Running'
  return isGood ? 'Succeeded' : 'Failed'
}

function endOf({ state, last }: ContainerRecord): { readonly exitCode: number } | undefined {
  return state.is === 'terminated' ? state : state.is === 'waiting' ? last : undefined
}

function initFailed(records: readonly ContainerRecord[], podPolicy: RestartPolicy): boolean {
  return records.some((record) => {
    const end = record.role === 'init' ? endOf(record) : undefined
    return end !== undefined && end.exitCode !== 0 && !shouldRestart(record, end.exitCode, podPolicy)
  })
}

function isInitPending(records: readonly ContainerRecord[]): boolean {
  return records.some((record) => {
    if (record.role === 'init') return endOf(record)?.exitCode !== 0
    return record.role === 'sidecar' && record.state.is === 'running' && !record.started
  })
}
