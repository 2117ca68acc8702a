// Finds the owners of objects, and the objects of owners. The API server has validated them.
import type { Registry } from '../api/registry.ts'
import type { OwnerReference, ResourceKey, StoredObject } from '../store/object.ts'

/** Returns the objects of a kind that the owner controls. */
export function controlledBy(registry: Registry, owner: StoredObject, kind: string): readonly StoredObject[] {
  const { uid } = owner.metadata
  return registry
    .dependents(uid)
    .filter((object) => object.kind === kind && controllerOf(object, owner.kind)?.uid === uid)
}

/** Returns the owner of this kind that controls the object. */
export function controllerOf({ metadata }: StoredObject, kind: string): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true && owner.kind === kind)
}

/** Returns the owner that controls the object, of any kind. */
export function controllerOfAny({ metadata }: StoredObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** Returns the reference by which the owner controls an object. */
export function ownerReference({ apiVersion, kind, metadata }: StoredObject): OwnerReference {
  const { name, uid } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** Returns the resource of a kind that is served in this version. */
export function resourceOf(registry: Registry, apiVersion: string, kind: string): ResourceKey | undefined {
  return registry.kinds.ofType(apiVersion, kind)?.resource
}
