// The DaemonSet controller keeps one pod on each node that admits it (Kubernetes: pkg/controller/daemon).
import type { Clock } from '@dayfly/kit/clock'
import { field, sameJson } from '../../api/json.ts'
import type { Registry } from '../../api/registry.ts'
import type { StoredObject } from '../../store/object.ts'
import { startObjectLoop } from '../object-loop.ts'
import { asDaemonSet } from './daemon-set-object.ts'
import { createFailedPods, type FailedPods } from './failed-pods.ts'
import { syncDaemonSet } from './sync-daemon-set.ts'

const resource = 'daemonsets.apps'

/** Starts the controller. Returns a function that stops it. */
export function startDaemonSetController(options: { readonly registry: Registry; readonly clock: Clock }): () => void {
  const { registry } = options
  /** The failures of pods, by the UID of their set. */
  const failures = new Map<string, FailedPods>()
  const loop = startObjectLoop({
    ...options,
    resource,
    kind: 'DaemonSet',
    component: 'daemonset-controller',
    owned: ['pods'],
    adopts: true,
    reconcile: (context, object) => {
      const { uid } = object.metadata
      const failed = failures.get(uid) ?? createFailedPods()
      failures.set(uid, failed)
      syncDaemonSet({ ...context, failed }, asDaemonSet(object))
    },
    onGone: ({ metadata }) => failures.delete(metadata.uid),
  })
  const stopNodes = registry.subscribe('nodes', ({ type, object, before }) => {
    if (type === 'MODIFIED' && before !== undefined && admitsSame(object, before)) return
    for (const { metadata } of registry.list(resource)) loop.wake(metadata.namespace, metadata.name)
  })
  return () => {
    stopNodes()
    loop.stop()
  }
}

/** Returns whether two states of a node admit the same pods. */
function admitsSame(one: StoredObject, other: StoredObject): boolean {
  return (
    sameJson(one.metadata.labels, other.metadata.labels) &&
    sameJson(field(one, 'spec', 'taints'), field(other, 'spec', 'taints'))
  )
}
