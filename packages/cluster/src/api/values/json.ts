// JSON values of unknown shape: reads, compares and copies them.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'

export type { JsonObject }

export const isObject: (value: unknown) => value is JsonObject = isJsonObject

/** Returns the value at the end of the path, or undefined if any part of the path is missing. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** Returns the string at the path, or an empty one. */
export function text(value: unknown, ...path: readonly string[]): string {
  const found = field(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** Returns the number at the path without its fraction, or 0. */
export function integer(value: unknown, ...path: readonly string[]): number {
  const found = field(value, ...path)
  return typeof found === 'number' ? Math.trunc(found) : 0
}

/** Returns the list at the path, or an empty one. */
export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Returns the objects of the list at the path, without its other items. */
export function objects(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  return list(value, ...path).filter(isObject)
}

/** Returns the number of fields of the object at the path, or 0 if it is not an object. */
export function size(value: unknown, ...path: readonly string[]): number {
  const found = field(value, ...path)
  return isObject(found) ? Object.keys(found).length : 0
}

/** Returns the object at the path, or an empty one. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = field(value, ...path)
  return isObject(found) ? found : {}
}

/** Returns the name that Go's decoder gives to a JSON type. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Compares two values as JSON: the order of fields does not matter, and an undefined field equals a missing one. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    for (let index = 0; index < left.length; index++) if (!sameJson(left[index], right[index])) return false
    return true
  }
  return sameFields(left as JsonObject, right as JsonObject)
}

function sameFields(left: JsonObject, right: JsonObject): boolean {
  for (const name of Object.keys(left)) if (!sameJson(left[name], own(right, name))) return false
  for (const name of Object.keys(right)) {
    if (right[name] !== undefined && own(left, name) === undefined) return false
  }
  return true
}

/** Returns the object's own field: a label may be named `constructor`. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Returns whether a value nests deeper than `most` levels. Frozen parts were checked when they were stored. */
export function nestsDeeperThan(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return false
  if (most === 0) return true
  const parts = Array.isArray(value) ? value : Object.values(value)
  for (const part of parts) {
    if (typeof part === 'object' && part !== null && nestsDeeperThan(part, most - 1)) return true
  }
  return false
}

/** Copies a value without undefined fields and without `__proto__`, which would set the prototype. */
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson)
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const item = value[name]
    if (item !== undefined && name !== '__proto__') copy[name] = copyJson(item)
  }
  return copy
}
