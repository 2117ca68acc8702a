// Writes the status of an object that its controller has read before.
import type { Registry } from '../api/registry.ts'
import type { JsonObject } from '../api/values/json.ts'
import type { StoredObject } from '../store/object.ts'

/** Writes a status, unless it is there already or the object is gone. */
export function writeStatus(registry: Registry, resource: string, object: StoredObject, status: JsonObject): void {
  const current = registry.get(resource, object.metadata.namespace, object.metadata.name)
  if (current?.metadata.uid !== object.metadata.uid) return
  registry.update(resource, { ...current, status }, { subresource: 'status' })
}
