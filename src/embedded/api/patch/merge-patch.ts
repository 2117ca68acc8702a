// Merge patch (RFC 7386): null removes a field, objects merge, any other value replaces.
import { isObject, type JsonObject } from '../json.ts'

export function applyMergePatch(document: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...document }
  for (const [name, value] of Object.entries(patch)) {
    if (name === '__proto__') continue
    const before = merged[name]
    if (value === null) delete merged[name]
    else if (isObject(value)) merged[name] = applyMergePatch(isObject(before) ? before : {}, value)
    else merged[name] = value
  }
  return merged
}
