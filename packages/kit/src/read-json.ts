// Reads values of unknown shape, such as parsed YAML or an answer of an API server. A missing field, or one of another type, reads as undefined.

/** A mapping whose fields are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Keys and list indexes, from the outermost value inwards. */
export type Path = readonly (string | number)[]

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is a mapping. */
export function asJsonObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

/** Returns the value at a path. Inherited properties do not count. */
export function valueAt(root: unknown, ...path: Path): unknown {
  return follow(root, path)
}

/** The readers below call this, because handing their steps on as arguments would copy them again at each of millions of calls. */
function follow(root: unknown, path: Path): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    const next = (value as Record<string | number, unknown>)[key]
    // Most fields are absent, and only one that is present may be inherited.
    value = next !== undefined && Object.hasOwn(value, key) ? next : undefined
  }
  return value
}

/** Returns the mapping at a path. */
export function fieldsAt(root: unknown, ...path: Path): JsonObject | undefined {
  const value = follow(root, path)
  return isJsonObject(value) ? value : undefined
}

/** Returns the entries of the list at a path; an empty list if there is none. */
export function listAt(root: unknown, ...path: Path): readonly unknown[] {
  const value = follow(root, path)
  return Array.isArray(value) ? value : []
}

/** Returns the string at a path. */
export function textAt(root: unknown, ...path: Path): string | undefined {
  const value = follow(root, path)
  return typeof value === 'string' ? value : undefined
}

/** Returns the number at a path. */
export function numberAt(root: unknown, ...path: Path): number | undefined {
  const value = follow(root, path)
  return typeof value === 'number' ? value : undefined
}

/** Returns the strings in the list at a path. */
export function textsAt(root: unknown, ...path: Path): readonly string[] {
  const value = follow(root, path)
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

/** Returns the time (RFC 3339) at a path, in milliseconds since the epoch. */
export function timeAt(root: unknown, ...path: Path): number | undefined {
  const value = follow(root, path)
  if (value instanceof Date) return value.getTime()
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
