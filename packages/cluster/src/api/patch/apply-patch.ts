// Applies the three patch types to a document. All functions are pure.
import { badRequest, unsupportedMediaType } from '../errors.ts'
import { structOf } from '../fields/fields.ts'
import type { Kind } from '../kind.ts'
import type { Patch } from '../registry.ts'
import { isObject, type JsonObject, jsonType } from '../values/json.ts'
import { applyJsonPatch } from './json-patch.ts'
import { applyStrategicMerge } from './strategic-merge.ts'

/** Returns the media types of patches that the kind accepts, in the order in which error messages list them. */
export function patchMediaTypes(kind: Kind): Readonly<Record<string, Patch['type']>> {
  const both = { 'application/json-patch+json': 'json', 'application/merge-patch+json': 'merge' } as const
  return kind.custom ? both : { ...both, 'application/strategic-merge-patch+json': 'strategic' }
}

/**
 * Applies a patch and returns the new document. Throws a 4xx if the patch is malformed or does not fit the document.
 */
export function applyPatch(type: Patch['type'], document: JsonObject, patch: unknown, kind: Kind): JsonObject {
  const patched = apply(type, document, patch, kind)
  if (!isObject(patched)) throw badRequest('the patched document is not an object')
  return patched
}

function apply(type: Patch['type'], document: JsonObject, patch: unknown, kind: Kind): unknown {
  if (type === 'json') return applyJsonPatch(document, patch)
  if (!isObject(patch)) {
    const found = `json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`
    throw badRequest(type === 'merge' ? `error decoding patch: ${found}` : found)
  }
  if (type === 'merge') return applyMergePatch(document, patch)
  if (kind.custom) {
    const accepted = Object.keys(patchMediaTypes(kind)).join(', ')
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    )
  }
  return applyStrategicMerge(document, patch, structOf(kind.kind))
}

/** Merge patch (RFC 7386): null removes a field, objects merge, any other value replaces. */
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
