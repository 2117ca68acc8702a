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
  const byText = createPool()
  /** The same sets by their fields in any order: most sets are found here, and need not be sorted and printed. */
  const byFields = createPool()
  const known = new WeakMap<object, FieldSet>()
  const share = (set: FieldSet): JsonObject => {
    const printed = printSet(set)
    const text = JSON.stringify(printed)
    const shared = byText.get(text)
    if (shared !== undefined) return shared
    byText.add(text, deepFreeze(printed))
    known.set(printed, set)
    return printed
  }
  return {
    print: (set) => {
      const fields = fieldsOf(set)
      if (fields.length > textMax) return printSet(set)
      const shared = byFields.get(fields)
      if (shared !== undefined) return shared
      const printed = share(set)
      byFields.add(fields, printed)
      return printed
    },
    read: (value) => (isObject(value) ? known.get(value) : undefined) ?? readSet(value),
  }
}

function createPool() {
  const pool = new Map<string, JsonObject>()
  return {
    get: (text: string) => pool.get(text),
    add: (text: string, printed: JsonObject) => {
      if (pool.size >= poolMax) pool.clear()
      pool.set(text, printed)
    },
  }
}

/** Returns a text that no different set has. An equal set whose fields are in another order has another text. */
function fieldsOf({ member, children }: FieldSet): string {
  let text = member ? '.' : ''
  for (const [element, child] of children) {
    // The length shows where an element ends, because its name may have any character.
    text += `${element.length} ${element}`
    text += child.children.size === 0 && child.member ? ',' : `{${fieldsOf(child)}}`
  }
  return text
}
