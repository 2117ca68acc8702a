// Readers of JSON with an unknown shape. Each returns a value of one type, or that type's empty value.
import { field, isObject } from '../api/json.ts'

export function text(value: unknown, ...path: readonly string[]): string {
  const found = field(value, ...path)
  return typeof found === 'string' ? found : ''
}

export function integer(value: unknown, ...path: readonly string[]): number {
  const found = field(value, ...path)
  return typeof found === 'number' ? Math.trunc(found) : 0
}

export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Returns the number of an object's fields, or 0 if the value is not an object. */
export function size(value: unknown, ...path: readonly string[]): number {
  const found = field(value, ...path)
  return isObject(found) ? Object.keys(found).length : 0
}
