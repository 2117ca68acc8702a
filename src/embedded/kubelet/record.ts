// What the kubelet knows of one container of a pod: the truth from which status and next steps are derived.
import type { Instant } from '../../lib/clock.ts'
import type { ContainerId } from '../runtime/runtime.ts'
import type { Container, Pod, RestartPolicy } from './pod.ts'

export type Terminated = {
  readonly is: 'terminated'
  readonly exitCode: number
  readonly reason: string
  readonly message: string | undefined
  /** 0 when it could not be started; undefined when nobody knows. */
  readonly startedAt: Instant | undefined
  readonly finishedAt: Instant
}

export type ContainerState =
  /** Without a reason it is the pod's usual one, `ContainerCreating` or `PodInitializing`. */
  | { readonly is: 'waiting'; readonly reason: string | undefined; readonly message: string | undefined }
  | { readonly is: 'running'; readonly startedAt: Instant }
  | Terminated

export type ContainerRecord = {
  readonly spec: Container
  /** A `sidecar` is an init container that is kept running. */
  readonly role: 'init' | 'sidecar' | 'regular'
  /** The try that runs or ran last, from 0; -1 before the first. */
  attempt: number
  state: ContainerState
  /** How the try before the present state ended. */
  last: Terminated | undefined
  /** The startup probe has succeeded, or there is none. */
  started: boolean
  /** The readiness probe succeeds, or there is none. */
  ready: boolean
  /** How long the next crash is held off, in milliseconds; 0 after none. */
  crashBackoffMs: number
  /** No try before this instant. */
  notBefore: Instant
  /** Failed pulls or configurations in a row. */
  refusals: number
  /** A probe has given the container up: it is to be killed. */
  failing: 'startup' | 'liveness' | undefined
  /** Takes back the wait for a missing Secret or ConfigMap. */
  stopWaiting: () => void
  /** Resolves when the present try's end is noted in `state`. */
  ended: Promise<void>
}

export function containerRecords(pod: Pod): readonly ContainerRecord[] {
  const { initContainers = [], containers } = pod.spec
  return [
    ...initContainers.map((spec) => newRecord(pod, spec, spec.restartPolicy === 'Always' ? 'sidecar' : 'init')),
    ...containers.map((spec) => newRecord(pod, spec, 'regular')),
  ]
}

/** A pod that an earlier kubelet ran goes on with the try it had: the runtime finds the container by it. */
function newRecord(pod: Pod, spec: Container, role: ContainerRecord['role']): ContainerRecord {
  const known = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])]
  const restarts = known.find(({ name }) => name === spec.name)?.restartCount ?? 0
  return {
    spec,
    role,
    attempt: restarts - 1,
    state: { is: 'waiting', reason: undefined, message: undefined },
    last: undefined,
    started: false,
    ready: false,
    crashBackoffMs: 0,
    notBefore: 0,
    refusals: 0,
    failing: undefined,
    stopWaiting: () => {},
    ended: Promise.resolve(),
  }
}

export function idOf(pod: Pod, record: ContainerRecord): ContainerId {
  return { pod: pod.metadata.uid, name: record.spec.name, attempt: record.attempt }
}

/** It has been started at least once. */
export function hasRun({ state, last }: ContainerRecord): boolean {
  return state.is !== 'waiting' || last !== undefined
}

/** A regular container has run: the pod counts as initialised from then on. */
export function hasBegun(records: readonly ContainerRecord[]): boolean {
  return records.some((record) => record.role === 'regular' && hasRun(record))
}

/** Whether a container that ended with this code is started again (Kubernetes: ContainerShouldRestart): its own rules first, then its own policy, then the pod's. */
export function shouldRestart(record: ContainerRecord, exitCode: number, podPolicy: RestartPolicy): boolean {
  for (const { action, exitCodes } of record.spec.restartPolicyRules ?? []) {
    const matches = exitCodes && exitCodes.values.includes(exitCode) === (exitCodes.operator === 'In')
    if (action === 'Restart' && matches) return true
  }
  const policy = record.spec.restartPolicy ?? podPolicy
  // An init container that has succeeded is done, whatever the policy says.
  if (record.role === 'init') return policy !== 'Never' && exitCode !== 0
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}
