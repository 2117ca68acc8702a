// Objects as clients read them. A custom object may be older than the defaults of its definition.
import type { StoredObject } from '../../store/object.ts'
import { atVersion, type Kind, schemaOf } from '../kind.ts'
import { addDefaults, lacksDefault } from '../structural/prune.ts'

/** Returns the object in this version, with the defaults that its definition has now. The stored object stays as it is. */
export function asRead(object: StoredObject, kind: Kind, version: string): StoredObject {
  const seen = atVersion(object, kind, version)
  const schema = kind.custom ? schemaOf(kind, version) : undefined
  if (schema === undefined || !lacksDefault(schema, seen)) return seen
  const copy = structuredClone(seen)
  addDefaults(schema, copy)
  return copy
}
