// The fake kubelet: it writes the status of pods that start and that end. Nothing runs.
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { pods } from './observer.ts'

/** Marks the pod as running: its runner container has started. */
export function markRunning(kubernetes: Kubernetes, namespace: string, name: string): Promise<unknown> {
  const startedAt = new Date().toISOString()
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: startedAt,
  }))
  const state = { running: { startedAt } }
  const status = { phase: 'Running', startTime: startedAt, conditions, containerStatuses: [container(state, true)] }
  return write(kubernetes, namespace, name, status)
}

/** Marks the pod as ended: its runner container has ended with exit code 0. */
export function markEnded(kubernetes: Kubernetes, namespace: string, name: string): Promise<unknown> {
  const finishedAt = new Date().toISOString()
  const state = { terminated: { exitCode: 0, reason: 'Completed', startedAt: finishedAt, finishedAt } }
  return write(kubernetes, namespace, name, { phase: 'Succeeded', containerStatuses: [container(state, false)] })
}

function container(state: object, ready: boolean): object {
  const image = 'ghcr.io/actions/actions-runner:latest'
  return { name: 'runner', image, imageID: image, ready, started: ready, restartCount: 0, lastState: {}, state }
}

function write(kubernetes: Kubernetes, namespace: string, name: string, status: object): Promise<unknown> {
  return kubernetes.patch(pods, { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status' })
}
