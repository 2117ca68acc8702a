// JSON values whose shape is checked as they are read.

export type JsonObject = { readonly [field: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at the end of the path, or undefined as soon as something on the way is missing. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (!isObject(found)) return undefined
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
  for (const name in left) if (!sameJson(left[name], right[name])) return false
  for (const name in right) if (right[name] !== undefined && left[name] === undefined) return false
  return true
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
