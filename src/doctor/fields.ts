// Reading a path of plain JSON, as files and the API server give it: what is missing or of another type is undefined.
import type { Raw } from './raw.ts'

/** The value at a path of keys and indexes. */
export function valueAt(root: unknown, ...path: readonly (string | number)[]): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined
  }
  return value
}

export function fieldsAt(root: unknown, ...path: readonly (string | number)[]): Raw | undefined {
  const value = valueAt(root, ...path)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : undefined
}

/** The entries of a list; empty when there is none. */
export function listAt(root: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const value = valueAt(root, ...path)
  return Array.isArray(value) ? value : []
}

export function textAt(root: unknown, ...path: readonly (string | number)[]): string | undefined {
  const value = valueAt(root, ...path)
  return typeof value === 'string' ? value : undefined
}

export function numberAt(root: unknown, ...path: readonly (string | number)[]): number | undefined {
  const value = valueAt(root, ...path)
  return typeof value === 'number' ? value : undefined
}

/** The strings of a list. */
export function textsAt(root: unknown, ...path: readonly (string | number)[]): readonly string[] {
  return listAt(root, ...path).filter((entry) => typeof entry === 'string')
}

/** A time of the API (RFC 3339), in milliseconds since the epoch. */
export function timeAt(root: unknown, ...path: readonly (string | number)[]): number | undefined {
  const value = valueAt(root, ...path)
  if (value instanceof Date) return value.getTime()
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
