// Decides the next step of a pod's worker from its containers' states alone (Kubernetes: computePodActions).
import type { RestartPolicy } from './pod.ts'
import { type ContainerRecord, hasBegun, shouldRestart } from './record.ts'

export type Plan =
  /** Start these containers in this order. A container with a back-off waits. */
  | { readonly do: 'start'; readonly containers: readonly ContainerRecord[] }
  /** End the containers that still run, because the pod's work is done. */
  | { readonly do: 'end' }

export function planPod(records: readonly ContainerRecord[], podPolicy: RestartPolicy): Plan {
  const regular = records.filter(({ role }) => role === 'regular')
  const first = planInit(records, podPolicy, hasBegun(records))
  if (first.do === 'end' || first.isBlocked) return first
  const due = regular.filter((record) => isDue(record, podPolicy))
  if (due.length === 0 && regular.every(({ state }) => state.is === 'terminated')) return { do: 'end' }
  return { do: 'start', containers: [...first.containers, ...due] }
}

type InitPlan =
  | { readonly do: 'end' }
  | { readonly do: 'start'; readonly containers: readonly ContainerRecord[]; readonly isBlocked: boolean }

/** Plans the init containers, which run one after the other. After a regular container has started, only sidecars are restarted. */
function planInit(records: readonly ContainerRecord[], podPolicy: RestartPolicy, begun: boolean): InitPlan {
  const containers: ContainerRecord[] = []
  for (const record of records) {
    const { role, state } = record
    if (role === 'regular' || (role === 'init' && begun)) continue
    if (state.is !== 'running' && isDue(record, podPolicy)) containers.push(record)
    if (begun || isDone(record)) continue
    if (role === 'init' && state.is === 'terminated' && !isDue(record, podPolicy)) return { do: 'end' }
    return { do: 'start', containers, isBlocked: true }
  }
  return { do: 'start', containers, isBlocked: false }
}

function isDone({ role, state, started }: ContainerRecord): boolean {
  return role === 'sidecar' ? state.is === 'running' && started : state.is === 'terminated' && state.exitCode === 0
}

function isDue(record: ContainerRecord, podPolicy: RestartPolicy): boolean {
  const { state } = record
  if (state.is === 'terminated') return shouldRestart(record, state.exitCode, podPolicy)
  return state.is === 'waiting'
}
