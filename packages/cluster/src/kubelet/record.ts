// The kubelet's record of one container of a pod. The pod's status and the next steps are derived from it.
import type { Instant } from '@dayfly/kit/clock'
import type { ContainerId } from '../runtime/runtime.ts'
import type { Container, Pod, RestartPolicy } from './pod.ts'

export type Terminated = {
  readonly is: 'terminated'
  readonly exitCode: number
  readonly reason: string
  readonly message: string | undefined
  /** 0 if the container could not be started; undefined if the start is unknown. */
  readonly startedAt: Instant | undefined
  readonly finishedAt: Instant
}

export type ContainerState =
  /** Without a reason, the status shows the default one: `ContainerCreating` or `PodInitializing`. */
  | { readonly is: 'waiting'; readonly reason: string | undefined; readonly message: string | undefined }
  | { readonly is: 'running'; readonly startedAt: Instant }
  | Terminated

export type ContainerRecord = {
  readonly spec: Container
  /** A `sidecar` is an init container with `restartPolicy: Always`. */
  readonly role: 'init' | 'sidecar' | 'regular'
  /** The number of the current or last attempt, from 0; -1 before the first. */
  attempt: number
  state: ContainerState
  /** The end of the previous attempt. */
  last: Terminated | undefined
  /** Whether the startup probe has succeeded; true if there is none. */
  started: boolean
  /** Whether the readiness probe succeeds; true if there is none. */
  ready: boolean
  /** The back-off before the next restart, in milliseconds; 0 if there was no crash. */
  crashBackoffMs: number
  /** The time of the next attempt at the earliest. */
  notBefore: Instant
  /** The number of consecutive failed pulls or configurations. */
  refusals: number
  /** The probe that failed, so that the container must be killed. */
  failing: 'startup' | 'liveness' | undefined
  /** Stops the wait for a missing Secret or ConfigMap. */
  stopWaiting: () => void
  /** Resolves when the end of the current attempt is recorded in `state`. */
  ended: Promise<void>
}

export function containerRecords(pod: Pod): readonly ContainerRecord[] {
  const { initContainers = [], containers } = pod.spec
  return [
    ...initContainers.map((spec) => newRecord(spec, spec.restartPolicy === 'Always' ? 'sidecar' : 'init')),
    ...containers.map((spec) => newRecord(spec, 'regular')),
  ]
}

function newRecord(spec: Container, role: ContainerRecord['role']): ContainerRecord {
  return {
    spec,
    role,
    attempt: -1,
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

/** Whether the container has been started at least once. */
export function hasRun({ state, last }: ContainerRecord): boolean {
  return state.is !== 'waiting' || last !== undefined
}

/** Whether a regular container has run. From then on the pod counts as initialized. */
export function hasBegun(records: readonly ContainerRecord[]): boolean {
  return records.some((record) => record.role === 'regular' && hasRun(record))
}

/** Whether a container that ended with this code is restarted (Kubernetes: ContainerShouldRestart). Its own rules come first, then its own policy, then the pod's policy. */
export function shouldRestart(record: ContainerRecord, exitCode: number, podPolicy: RestartPolicy): boolean {
  for (const { action, exitCodes } of record.spec.restartPolicyRules ?? []) {
    const matches = exitCodes && exitCodes.values.includes(exitCode) === (exitCodes.operator === 'In')
    if (action === 'Restart' && matches) return true
  }
  const policy = record.spec.restartPolicy ?? podPolicy
  // An init container that has succeeded is never restarted.
  if (record.role === 'init') return policy !== 'Never' && exitCode !== 0
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}
