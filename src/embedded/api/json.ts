// JSON values whose shape is checked as they are read.

export type JsonObject = { readonly [field: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at the end of the path, or undefined as soon as something on the way is missing. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** As Go's decoder names what it found. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Equal as JSON: the order of fields does not matter, an undefined field is an absent one. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => sameJson(item, right[index]))
  }
  if (!isObject(left) || !isObject(right)) return false
  for (const [name, item] of Object.entries(left)) if (!sameJson(item, own(right, name))) return false
  for (const [name, item] of Object.entries(right))
    if (item !== undefined && own(left, name) === undefined) return false
  return true
}

/** The object's own field: a label may be named `constructor`. */
function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Whether it nests deeper than that. What is frozen was looked at before. */
export function nestsDeeperThan(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return false
  return most === 0 || Object.values(value).some((item) => nestsDeeperThan(item, most - 1))
}

/** A fresh copy without undefined fields and without `__proto__`, which would not stay a field. */
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson)
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    if (item !== undefined && name !== '__proto__') copy[name] = copyJson(item)
  }
  return copy
}
