// Computes short, stable hashes of plain values.
import { createHash } from 'node:crypto'

/** Returns the first `length` hexadecimal characters of the SHA-256 of a text. */
export function hashText(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}

/** Returns the same for a JSON value. The order of its keys does not matter. */
export function hashValue(value: unknown, length: number): string {
  return hashText(JSON.stringify(value, sortedKeys) ?? 'undefined', length)
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)))
}
