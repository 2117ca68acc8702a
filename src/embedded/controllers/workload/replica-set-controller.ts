// The ReplicaSet controller keeps the wanted number of pods (Kubernetes: pkg/controller/replicaset). It adopts no pods.
import type { Clock } from '../../../lib/clock.ts'
import { ApiError } from '../../api/errors.ts'
import { field, type JsonObject, objectAt } from '../../api/json.ts'
import type { Registry } from '../../api/registry.ts'
import { type EventRecorder, eventRecorder } from '../../event-recorder.ts'
import type { StoredObject } from '../../store/object.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import { startLoop } from '../loop.ts'
import {
  controlledBy,
  controllerOf,
  isActive,
  isReady,
  ownerReference,
  replicasOf,
  writeStatus,
} from './workload-object.ts'

const resource = 'replicasets.apps'

/** The delay before a refused creation is tried again. */
const retryMs = 1_000

/** The maximum number of pods that one sync creates or deletes. */
const podsMax = 500

type Options = { readonly registry: Registry; readonly clock: Clock }

/** Starts the controller. Returns a function that stops it. */
export function startReplicaSetController({ registry, clock }: Options): () => void {
  const recorders = new Map<string, EventRecorder>()
  const loop = startLoop(clock, (key) => {
    const [namespace = '', name = ''] = key.split('/')
    const set = registry.get(resource, namespace, name)
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return
    const { uid } = set.metadata
    const events = recorders.get(uid) ?? eventRecorder(set, { registry, clock, component: 'replicaset-controller' })
    recorders.set(uid, events)
    if (!syncSet(registry, set, events)) loop.after(key, retryMs)
  })
  const stopSets = registry.subscribe(resource, ({ type, object }) => {
    if (type === 'DELETED') recorders.delete(object.metadata.uid)
    else loop.add(`${object.metadata.namespace}/${object.metadata.name}`)
  })
  const stopPods = registry.subscribe('pods', ({ object }) => {
    const owner = controllerOf(object, 'ReplicaSet')
    if (owner) loop.add(`${object.metadata.namespace}/${owner.name}`)
  })
  return () => {
    stopSets()
    stopPods()
    loop.stop()
  }
}

/** Returns whether the set needs no further sync. */
function syncSet(registry: Registry, set: StoredObject, events: EventRecorder): boolean {
  const active = controlledBy(registry, set, 'Pod').filter(isActive)
  const missing = replicasOf(set) - active.length
  const failure = missing > 0 ? createPods(registry, set, Math.min(missing, podsMax), events) : undefined
  for (const pod of leastUseful(active).slice(0, Math.min(Math.max(0, -missing), podsMax))) {
    deletePod(registry, pod, events)
  }
  const now = controlledBy(registry, set, 'Pod').filter(isActive)
  writeStatus(registry, resource, set, statusOf(set, now))
  return failure === undefined && now.length === replicasOf(set)
}

function createPods(registry: Registry, set: StoredObject, count: number, events: EventRecorder): ApiError | undefined {
  for (let made = 0; made < count; made++) {
    try {
      const pod = registry.create('pods', podFrom(set))
      events.record('Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      events.record('Warning', 'FailedCreate', `Error creating: ${error.status.message}`)
      return error
    }
  }
  return undefined
}

function podFrom(set: StoredObject): object {
  const { name, namespace } = set.metadata
  const { labels, annotations, finalizers } = objectAt(set, 'spec', 'template', 'metadata')
  const owned = { generateName: `${name}-`, namespace, ownerReferences: [ownerReference(set)] }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...owned, labels, annotations, finalizers },
    spec: field(set, 'spec', 'template', 'spec'),
  }
}

/** Orders pods by what is lost with them: pods without a node, then pods that are not ready, then the newest. */
function leastUseful(pods: readonly StoredObject[]): readonly StoredObject[] {
  const rank = (pod: StoredObject): number => (field(pod, 'spec', 'nodeName') === undefined ? 0 : isReady(pod) ? 2 : 1)
  const born = (pod: StoredObject): number => Date.parse(pod.metadata.creationTimestamp)
  return [...pods].sort((one, other) => rank(one) - rank(other) || born(other) - born(one))
}

function deletePod(registry: Registry, { metadata }: StoredObject, events: EventRecorder): void {
  const { namespace, name, uid } = metadata
  ignoreRefusal(() => {
    registry.delete('pods', namespace, name, { preconditions: { uid } })
    events.record('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
  })
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
