// Sets of fields that many objects have in common: objects of one kind mostly have the same managers with the same fields.
// They share one printed set, so each is kept once, and read once.
import { deepFreeze } from '../../store/object.ts'
import { isObject, type JsonObject } from '../values/json.ts'
import { type FieldSet, printSet, readSet } from './field-set.ts'

export interface SharedSets {
  /** Prints as `printSet` does. Equal sets share one frozen object. */
  print(set: FieldSet): JsonObject
  /** Reads as `readSet` does, and a shared object only once. */
  read(value: unknown): FieldSet | undefined
}

/** Both limits bound the memory. A larger set is not shared, and a full pool is cleared. */
const poolMax = 1_024
const textMax = 8_192

export function createSharedSets(): SharedSets {
  const pool = new Map<string, JsonObject>()
  const known = new WeakMap<object, FieldSet>()
  return {
    print: (set) => {
      const printed = printSet(set)
      const text = JSON.stringify(printed)
      if (text.length > textMax) return printed
      const shared = pool.get(text)
      if (shared !== undefined) return shared
      if (pool.size >= poolMax) pool.clear()
      pool.set(text, deepFreeze(printed))
      known.set(printed, set)
      return printed
    },
    read: (value) => (isObject(value) ? known.get(value) : undefined) ?? readSet(value),
  }
}
