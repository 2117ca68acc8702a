// The conditions in an object's status.
import type { StoredObject } from '../../store/object.ts'
import { type JsonObject, objectAt, objects } from './json.ts'

type Condition = JsonObject & { readonly type: string }

/** Returns the condition of the type; undefined if the object does not have it. */
export function conditionOf(object: StoredObject, type: string): JsonObject | undefined {
  return objects(object, 'status', 'conditions').find((condition) => condition['type'] === type)
}

/** Returns the object with the condition instead of the one of its type. */
export function withCondition(object: StoredObject, condition: Condition): StoredObject {
  const others = objects(object, 'status', 'conditions').filter(({ type }) => type !== condition.type)
  return { ...object, status: { ...objectAt(object, 'status'), conditions: [...others, condition] } }
}
