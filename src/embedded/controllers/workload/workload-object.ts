// Deployments, ReplicaSets and their pods, as their controllers read them. The API server has validated stored objects.
import type { Clock } from '../../../lib/clock.ts'
import { timestamp } from '../../../lib/timestamp.ts'
import { field, integer, isObject, type JsonObject, list, objectAt, text } from '../../api/json.ts'
import type { Registry } from '../../api/registry.ts'
import type { StoredObject } from '../../store/object.ts'

/** Returns the objects of a kind that the owner controls. */
export function controlledBy(registry: Registry, owner: StoredObject, kind: string): readonly StoredObject[] {
  const { uid } = owner.metadata
  return registry
    .dependents(uid)
    .filter((object) => object.kind === kind && controllerOf(object, owner.kind)?.uid === uid)
}

/** Returns the owner of this kind that controls the object. */
export function controllerOf({ metadata }: StoredObject, kind: string) {
  return metadata.ownerReferences?.find((owner) => owner.controller === true && owner.kind === kind)
}

export function ownerReference({ apiVersion, kind, metadata }: StoredObject): object {
  const { name, uid } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** Returns whether the pod runs or will run, and is not being deleted. */
export function isActive(pod: StoredObject): boolean {
  const phase = text(pod, 'status', 'phase')
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined
}

export function isReady(pod: StoredObject): boolean {
  return list(pod, 'status', 'conditions').some(
    (condition) => field(condition, 'type') === 'Ready' && field(condition, 'status') === 'True',
  )
}

/** Returns the wanted number of replicas. */
export function replicasOf(object: StoredObject): number {
  return integer(object, 'spec', 'replicas')
}

/** Writes a status, unless it is there already. */
export function writeStatus(registry: Registry, resource: string, object: StoredObject, status: JsonObject): void {
  const current = registry.get(resource, object.metadata.namespace, object.metadata.name)
  if (current?.metadata.uid !== object.metadata.uid) return
  registry.update(resource, { ...current, status }, { subresource: 'status' })
}

type Condition = {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Returns the conditions with these. A time changes only with its condition. */
export function withConditions(object: StoredObject, wanted: readonly Condition[], clock: Clock): readonly object[] {
  const known = list(object, 'status', 'conditions').filter(isObject)
  const now = timestamp(clock.now())
  return wanted.map((condition) => {
    const before = known.find(({ type }) => type === condition.type)
    const same = before?.['status'] === condition.status && before['reason'] === condition.reason
    if (same && before['message'] === condition.message) return before
    const since = before?.['status'] === condition.status ? before['lastTransitionTime'] : now
    return { ...condition, lastUpdateTime: now, lastTransitionTime: since }
  })
}

/** Returns the template of a ReplicaSet without the label that distinguishes its pods. */
export function templateOf(object: StoredObject): JsonObject {
  const template = objectAt(object, 'spec', 'template')
  const metadata = objectAt(template, 'metadata')
  const { [hashLabel]: _, ...labels } = objectAt(metadata, 'labels')
  return { ...template, metadata: { ...metadata, labels } }
}

export const hashLabel = 'pod-template-hash'
