// Objects of one kind by values that they have: a list for one value then needs no walk over all objects.
import type { StoreEvent } from './event-ring.ts'
import { keyOf, type StoredObject } from './object.ts'

export interface ValueIndex {
  change(event: Pick<StoreEvent, 'type' | 'object' | 'before'>): void
  /** Returns the keys of the objects with this value, in order. */
  keysOf(value: string): readonly string[]
}

/** @param valuesOf returns the values by which an object is found. They depend on the object alone. */
export function createValueIndex(valuesOf: (object: StoredObject) => readonly string[]): ValueIndex {
  const byValue = new Map<string, Set<string>>()
  return {
    change: ({ type, object, before }) => {
      const key = keyOf(object.metadata.namespace, object.metadata.name)
      const old = before === undefined ? [] : valuesOf(before)
      const now = type === 'DELETED' ? [] : valuesOf(object)
      for (const value of old) {
        if (now.includes(value)) continue
        const keys = byValue.get(value)
        keys?.delete(key)
        if (keys?.size === 0) byValue.delete(value)
      }
      for (const value of now) {
        const keys = byValue.get(value)
        if (keys === undefined) byValue.set(value, new Set([key]))
        else keys.add(key)
      }
    },
    keysOf: (value) => [...(byValue.get(value) ?? [])].sort(),
  }
}
