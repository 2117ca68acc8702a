// Why a pod that is being deleted does not end (docs/reference/kubernetes.md#s4-3). The first match wins.
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { EventObject, PodObject } from './pod-object.ts'

/** Returns undefined if neither the pod nor its Events name a cause. @param latestFirst the Events of the pod */
export function causeOfStuckEnd(latestFirst: readonly EventObject[], pod: PodObject): Failure | undefined {
  const { metadata, spec, status } = pod
  const node = `node ${spec?.nodeName ?? 'unknown'}`
  const { finalizers = [] } = metadata
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
  if (isOver && finalizers.length > 0) return { reason: 'finalizer-left', message: finalizers.join(', ') }
  if (isNodeSilent(latestFirst, pod)) return { reason: 'node-lost', message: `${node} does not respond` }
  const hook = hungHook(latestFirst, pod)
  if (hook) return { reason: 'hook-hangs', message: `${hook}, on ${node}` }
  const failed = latestFirst.find(({ reason }) => reason === 'FailedKillPod' || reason === 'FailedPreStopHook')
  if (failed) return { reason: 'kill-failed', message: `${failed.message ?? failed.reason}, on ${node}` }
  return finalizers.length > 0 ? { reason: 'finalizer-left', message: finalizers.join(', ') } : undefined
}

/** The node controller writes an Event about each pod of a silent node, or deletes the pod itself. */
function isNodeSilent([latest]: readonly EventObject[], { status }: PodObject): boolean {
  const disrupted = status?.conditions?.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True')
  return latest?.reason === 'NodeNotReady' || disrupted?.reason === 'DeletionByTaintManager'
}

/** A container that started long ago, has a hook, and still waits in the status: the kubelet is within its hook. */
export function hungHook(latestFirst: readonly EventObject[], { spec, status }: PodObject): string | undefined {
  const waiting = new Set(
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
      .filter(({ state }) => state?.waiting)
      .map(({ name }) => name),
  )
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  const hooked = containers.some(({ name, lifecycle }) => lifecycle?.postStart && waiting.has(name))
  const started = latestFirst.find(({ reason }) => reason === 'Started')
  if (!started || !hooked) return undefined
  return `${started.message ?? 'started'}, and its postStart hook has not returned`
}
