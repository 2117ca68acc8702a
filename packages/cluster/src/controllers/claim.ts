// Finds the objects of a workload: it adopts matching objects that no controller owns, and releases its own that no longer match
// (Kubernetes: pkg/controller/controller_ref_manager.go).
import { objectAt } from '../api/json.ts'
import { matchesLabels } from '../api/match-labels.ts'
import type { Registry } from '../api/registry.ts'
import type { OwnerReference, ResourceKey, StoredObject } from '../store/object.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { controlledBy, ownerReference } from './owners.ts'

type Claimed = {
  readonly resource: ResourceKey
  readonly kind: string
  /** Returns whether an object with matching labels can belong to the workload. */
  readonly mayOwn?: (object: StoredObject) => boolean
}

/** Returns the objects of the workload, also those that are being deleted. */
export function claim(registry: Registry, owner: StoredObject, claimed: Claimed): readonly StoredObject[] {
  const { resource, kind, mayOwn = () => true } = claimed
  const { namespace, uid, deletionTimestamp } = owner.metadata
  if (deletionTimestamp !== undefined) return controlledBy(registry, owner, kind)
  const selector = objectAt(owner, 'spec', 'selector')
  const matches = (object: StoredObject) => matchesLabels(selector, object.metadata.labels) && mayOwn(object)
  const write = (object: StoredObject, ownerReferences: readonly OwnerReference[]) =>
    ignoreRefusal(() => registry.update(resource, { ...object, metadata: { ...object.metadata, ownerReferences } }))
  for (const object of registry.list(resource, namespace)) {
    const { ownerReferences = [] } = object.metadata
    const controller = ownerReferences.find((reference) => reference.controller === true)
    const isGoing = object.metadata.deletionTimestamp !== undefined
    if (controller?.uid === uid && !matches(object)) write(object, without(ownerReferences, uid))
    if (controller === undefined && !isGoing && matches(object)) {
      write(object, [...without(ownerReferences, uid), ownerReference(owner)])
    }
  }
  return controlledBy(registry, owner, kind)
}

function without(references: readonly OwnerReference[], uid: string): readonly OwnerReference[] {
  return references.filter((reference) => reference.uid !== uid)
}
