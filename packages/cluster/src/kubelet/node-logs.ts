// Serves the logs of the containers on this node. If there is no log, it refuses with the kubelet's message.
import type { Clock } from '@dayfly/kit/clock'
import { badRequest } from '../api/errors.ts'
import type { NodeApi } from '../api/node.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type ContainerRecord, idOf } from './record.ts'
import type { PodWorker } from './worker.ts'

export type NodeSource = {
  readonly runtime: Runtime
  readonly clock: Clock
  find(namespace: string, pod: string): PodWorker | undefined
}

export function nodeLogs({ runtime, clock, find }: NodeSource): NodeApi['logs'] {
  return ({ namespace, pod, container }, options, until) => {
    const worker = find(namespace, pod)
    const record = worker?.records.find(({ spec }) => spec.name === container)
    if (!worker || !record) {
      throw badRequest(`container "${container}" in pod "${pod}" is waiting to start: ContainerCreating`)
    }
    const attempt = options.previous ? previousAttempt(record, pod) : latestAttempt(record, pod)
    const { follow, timestamps, tailLines, sinceSeconds, limitBytes } = options
    const since = sinceSeconds === undefined ? undefined : clock.now() - sinceSeconds * 1000
    const id = { ...idOf(worker.pod, record), attempt }
    return runtime.logs(id, { follow: follow && !options.previous, timestamps, tailLines, since, limitBytes }, until)
  }
}

function latestAttempt({ spec, state, last, attempt }: ContainerRecord, pod: string): number {
  if (state.is !== 'waiting' || last) return attempt
  const reason = state.reason ?? 'ContainerCreating'
  throw badRequest(`container "${spec.name}" in pod "${pod}" is waiting to start: ${reason}`)
}

function previousAttempt({ spec, state, last, attempt }: ContainerRecord, pod: string): number {
  if (!last) throw badRequest(`previous terminated container "${spec.name}" in pod "${pod}" not found`)
  return state.is === 'waiting' ? attempt : attempt - 1
}
