// Drops the fields that a structural schema does not define, and sets its defaults. The results share nothing with the
// schema.
import { copyJson, isObject, type JsonObject } from '../values/json.ts'
import type { Schema } from './schema.ts'
import { newWork, spend } from './work.ts'

/** The characters of a default that cost one step. */
const defaultedCharacters = 20

/**
 * Drops unknown fields, and nulls that the schema does not allow.
 * @param unknown receives the path of each unknown field.
 */
export function prune(schema: Schema, value: unknown, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return copyJson(value)
    return value.map((item, index) => prune(items, item, `${path}[${index}]`, unknown))
  }
  if (!isObject(value)) return value
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const item = value[name]
    if (item === undefined || name === '__proto__') continue
    const inner = schema.properties.get(name) ?? (schema.additional === true ? undefined : schema.additional)
    if (inner !== undefined && item === null && !inner.nullable && inner.default === undefined) continue
    if (inner !== undefined) kept[name] = isScalar(item) ? item : prune(inner, item, join(path, name), unknown)
    else if (schema.preserves || schema.additional === true || belongs(schema, name)) kept[name] = copyJson(item)
    else unknown.push(join(path, name))
  }
  return kept
}

/** Most values are scalars. They need neither a walk nor a path. */
function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** Sets the defaults of a fresh value in place. A null that the schema does not allow counts as missing. */
export function addDefaults(schema: Schema, value: unknown, left = newWork()): void {
  if (!schema.hasDefaults) return
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) addDefaults(schema.items, item, left)
    return
  }
  if (!isMutable(value)) return
  spend(left, schema.properties.size + 1)
  for (const [name, inner] of schema.properties) {
    const given = value[name]
    if (inner.default !== undefined && (given === undefined || (given === null && !inner.nullable))) {
      value[name] = copyJson(inner.default)
      spend(left, JSON.stringify(inner.default).length / defaultedCharacters)
    }
    addDefaults(inner, value[name], left)
  }
  if (schema.additional === undefined || schema.additional === true) return
  for (const [name, item] of Object.entries(value)) {
    if (!schema.properties.has(name)) addDefaults(schema.additional, item, left)
  }
}

/** Returns whether `addDefaults` would change a copy of the value. */
export function lacksDefault(schema: Schema, value: unknown): boolean {
  if (!schema.hasDefaults) return false
  const { items, properties, additional } = schema
  if (Array.isArray(value)) return items !== undefined && value.some((item) => lacksDefault(items, item))
  if (!isObject(value)) return false
  for (const [name, inner] of properties) {
    const given = value[name]
    if (inner.default !== undefined && (given === undefined || (given === null && !inner.nullable))) return true
    if (given !== undefined && lacksDefault(inner, given)) return true
  }
  if (additional === undefined || additional === true) return false
  return Object.entries(value).some(([name, item]) => !properties.has(name) && lacksDefault(additional, item))
}

/** Frozen values were stored before, with their defaults. */
function isMutable(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Object.isFrozen(value)
}

function belongs(schema: Schema, name: string): boolean {
  return schema.embedded && ['apiVersion', 'kind', 'metadata'].includes(name)
}

/** Returns the parts of a custom object that its schema covers: everything except type and metadata. */
export function ownParts(object: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata: ___, ...parts } = object
  return parts
}
