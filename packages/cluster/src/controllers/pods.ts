// Facts about pods that the controllers of Jobs and workloads share, and how they create and delete pods.
import { ApiError } from '../api/errors.ts'
import type { Registry } from '../api/registry.ts'
import { conditionOf } from '../api/values/conditions.ts'
import { type JsonObject, objectAt } from '../api/values/json.ts'
import { hasEnded, nodeOf } from '../api/values/pod-state.ts'
import type { EventRecorder } from '../event-recorder.ts'
import type { StoredObject } from '../store/object.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { ownerReference } from './owners.ts'

/** The maximum number of pods that one sync creates or deletes. */
export const podsMax = 500

/** Returns whether the pod runs or will run, and is not being deleted. */
export function isActive(pod: StoredObject): boolean {
  return !hasEnded(pod) && !isDeleting(pod)
}

export function isDeleting({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

export function isReady(pod: StoredObject): boolean {
  return conditionOf(pod, 'Ready')?.['status'] === 'True'
}

/** Orders pods by what is lost with them: pods without a node, then pods that are not ready, then the newest. */
export function leastUsefulFirst<Pod extends StoredObject>(pods: readonly Pod[]): readonly Pod[] {
  const rank = (pod: Pod): number => (nodeOf(pod) === '' ? 0 : isReady(pod) ? 2 : 1)
  const born = (pod: Pod): number => Date.parse(pod.metadata.creationTimestamp)
  return [...pods].sort((one, other) => rank(one) - rank(other) || born(other) - born(one))
}

type PodObject = { readonly metadata: JsonObject; readonly spec: JsonObject }

/** Returns a pod of this template that the owner controls. Its name is generated. */
export function podFromTemplate(owner: StoredObject, template: JsonObject): PodObject {
  const { labels, annotations, finalizers } = objectAt(template, 'metadata')
  const { name, namespace } = owner.metadata
  const owned = { generateName: `${name}-`, namespace, ownerReferences: [ownerReference(owner)] }
  return { metadata: { ...owned, labels, annotations, finalizers }, spec: objectAt(template, 'spec') }
}

type PodControl = { readonly registry: Registry; readonly events: EventRecorder }

/** Creates a pod, and records it. Returns whether the API server accepted it. */
export function createPod({ registry, events }: PodControl, pod: PodObject): boolean {
  try {
    const created = registry.create('pods', pod)
    events.record('Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    events.record('Warning', 'FailedCreate', `Error creating: ${error.status.message}`)
    return false
  }
}

/** Deletes a pod, and records it. */
export function deletePod({ registry, events }: PodControl, { metadata }: StoredObject): void {
  const { namespace, name, uid } = metadata
  ignoreRefusal(() => {
    registry.delete('pods', namespace, name, { preconditions: { uid } })
    events.record('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
  })
}
