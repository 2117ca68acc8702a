// Computes a pod's status from its containers' states, in the shape and words of the real kubelet.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { sameJson } from '../api/values/json.ts'
import { conditionsOf, type PodFacts } from './conditions.ts'
import type { Pod } from './pod.ts'
import { hostAddress, podAddress } from './pod-address.ts'
import type { ContainerRecord, ContainerState } from './record.ts'

/** Returns the pod's next status. If nothing changed, it is the same object as the current one. */
export function podStatus(pod: Pod, facts: PodFacts, now: Instant): Pod['status'] {
  const { records, phase, startTime, hasSandbox, failure } = facts
  const hasInit = (pod.spec.initContainers ?? []).length > 0
  const usual = hasInit ? 'PodInitializing' : 'ContainerCreating'
  const statusOf = (record: ContainerRecord) => containerStatus(pod, record, usual)
  const initContainerStatuses = records.filter(({ role }) => role !== 'regular').map(statusOf)
  // The kubelet sorts regular containers by name (pkg/kubelet/status). Init containers keep the order of the spec.
  const containerStatuses = records
    .filter(({ role }) => role === 'regular')
    .map(statusOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  // The kubelet reports the sandbox's address together with the first container state. While a hook hangs, it reports neither.
  const isSynced = hasSandbox && records.some(({ state }) => state.is !== 'waiting' || state.reason !== undefined)
  const next = {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase,
    ...failure,
    conditions: conditionsOf(pod, facts, now),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(isSynced && !pod.status['podIP'] ? addressOf(pod) : {}),
    startTime: timestamp(startTime),
    ...(hasInit ? { initContainerStatuses } : {}),
    containerStatuses,
  }
  return sameJson(next, pod.status) ? pod.status : next
}

function addressOf(pod: Pod) {
  const address = podAddress(pod)
  return { podIP: address, podIPs: [{ ip: address }] }
}

function containerStatus(pod: Pod, record: ContainerRecord, usual: string) {
  const { spec, state, last, role } = record
  const isRunning = state.is === 'running'
  const containerID = `process://${pod.metadata.uid}/${spec.name}.${record.attempt}`
  const isReady =
    role === 'init' ? state.is === 'terminated' && state.exitCode === 0 : isRunning && record.started && record.ready
  return {
    name: spec.name,
    image: spec.image,
    imageID: record.attempt >= 0 ? spec.image : '',
    ...(record.attempt >= 0 && state.is !== 'waiting' ? { containerID } : {}),
    state: stateStatus(state, containerID, usual),
    lastState: last
      ? stateStatus(last, `process://${pod.metadata.uid}/${spec.name}.${lastAttempt(record)}`, usual)
      : {},
    ready: isReady,
    started: isRunning && record.started,
    restartCount: Math.max(0, record.attempt),
  }
}

/** The number of the attempt that `last` describes. While the container waits, that is the current number. */
function lastAttempt({ state, attempt }: ContainerRecord): number {
  return state.is === 'waiting' ? attempt : attempt - 1
}

function stateStatus(state: ContainerState, containerID: string, usual: string): object {
  switch (state.is) {
    case 'waiting':
      return { waiting: { reason: state.reason ?? usual, ...(state.message ? { message: state.message } : {}) } }
    case 'running':
      return { running: { startedAt: timestamp(state.startedAt) } }
    case 'terminated': {
      const { exitCode, reason, message, startedAt, finishedAt } = state
      const end = { exitCode, reason, ...(message ? { message } : {}) }
      if (startedAt === undefined) return { terminated: { ...end, startedAt: null, finishedAt: null } }
      return {
        terminated: { ...end, startedAt: timestamp(startedAt), finishedAt: timestamp(finishedAt), containerID },
      }
    }
  }
}
