// Objects by the UIDs of their owners. The owner collector asks for them at every deletion.
import type { StoreEvent } from './event-ring.ts'
import { keyOf, type ResourceKey, type StoredObject } from './object.ts'

type Place = { readonly resource: ResourceKey; readonly key: string }

interface OwnerIndex {
  change(resource: ResourceKey, event: Pick<StoreEvent, 'type' | 'object' | 'before'>): void
  /** Returns the objects with an ownerReference to this UID, oldest reference first. */
  of(uid: string): readonly Place[]
}

export function createOwnerIndex(): OwnerIndex {
  const byOwner = new Map<string, Map<string, Place>>()
  return {
    change: (resource, event) => {
      const { object, before } = event
      const now = event.type === 'DELETED' ? undefined : object
      if (before?.metadata.ownerReferences === now?.metadata.ownerReferences) return
      const { namespace, name } = object.metadata
      const key = keyOf(namespace, name)
      const id = `${resource} ${key}`
      const wanted = new Set(ownersOf(now))
      for (const uid of ownersOf(before)) {
        if (wanted.has(uid)) continue
        const places = byOwner.get(uid)
        places?.delete(id)
        if (places?.size === 0) byOwner.delete(uid)
      }
      for (const uid of wanted) {
        const places = byOwner.get(uid) ?? new Map<string, Place>()
        byOwner.set(uid, places.set(id, { resource, key }))
      }
    },
    of: (uid) => [...(byOwner.get(uid)?.values() ?? [])],
  }
}

function ownersOf(object: StoredObject | undefined): readonly string[] {
  return object?.metadata.ownerReferences?.map((owner) => owner.uid) ?? []
}
