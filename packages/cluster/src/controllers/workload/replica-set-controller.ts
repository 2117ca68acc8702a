// The ReplicaSet controller keeps the wanted number of pods (Kubernetes: pkg/controller/replicaset). It adopts no pods.
import type { Clock } from '@dayfly/kit/clock'
import type { Registry } from '../../api/registry.ts'
import { type JsonObject, objectAt } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { type Reconciliation, retryMs, startObjectLoop } from '../object-loop.ts'
import { controlledBy } from '../owners.ts'
import { createPod, deletePod, isActive, isReady, leastUsefulFirst, podFromTemplate, podsMax } from '../pods.ts'
import { writeStatus } from '../write-status.ts'
import { replicasOf } from './workload-object.ts'

const resource = 'replicasets.apps'

type PodControl = Pick<Reconciliation, 'registry' | 'events'>

type Options = { readonly registry: Registry; readonly clock: Clock }

/** Starts the controller. Returns a function that stops it. */
export function startReplicaSetController({ registry, clock }: Options): () => void {
  const kind = { resource, kind: 'ReplicaSet', component: 'replicaset-controller', owned: ['pods'] }
  return startObjectLoop({
    registry,
    clock,
    ...kind,
    reconcile: (context, set) => {
      if (set.metadata.deletionTimestamp === undefined && !syncSet(context, set)) context.again(retryMs)
    },
  }).stop
}

/** Returns whether the set needs no further sync. */
function syncSet(control: PodControl, set: StoredObject): boolean {
  const { registry } = control
  const active = controlledBy(registry, set, 'Pod').filter(isActive)
  const missing = replicasOf(set) - active.length
  const isComplete = createPods(control, set, Math.min(missing, podsMax))
  for (const pod of leastUsefulFirst(active).slice(0, Math.min(Math.max(0, -missing), podsMax))) {
    deletePod(control, pod)
  }
  const now = controlledBy(registry, set, 'Pod').filter(isActive)
  writeStatus(registry, resource, set, statusOf(set, now))
  return isComplete && now.length === replicasOf(set)
}

/** Returns whether the API server accepted all. */
function createPods(control: PodControl, set: StoredObject, count: number): boolean {
  const pod = podFromTemplate(set, objectAt(set, 'spec', 'template'))
  for (let made = 0; made < count; made++) if (!createPod(control, pod)) return false
  return true
}

function statusOf(set: StoredObject, pods: readonly StoredObject[]): JsonObject {
  const ready = pods.filter(isReady).length
  return {
    replicas: pods.length,
    fullyLabeledReplicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: set.metadata.generation ?? 0,
  }
}
