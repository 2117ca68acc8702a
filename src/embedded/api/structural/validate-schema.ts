// Validates that a schema is structural. Refuses features that this API server cannot enforce.
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../field-error.ts'
import { isObject, type JsonObject } from '../json.ts'
import { checkRules } from './cel/check-rules.ts'
import { readPattern } from './string-constraints.ts'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const forbidden = {
  $ref: '$ref is not supported',
  definitions: 'definitions is not supported',
  dependencies: 'dependencies is not supported',
  patternProperties: 'patternProperties is not supported',
  additionalItems: 'additionalItems is not supported',
  id: 'id is not supported',
  uniqueItems: 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
}
/** The deepest nesting of a schema. */
const depthMax = 64

export function validateSchema(schema: JsonObject, path: string): readonly FieldError[] {
  const refused = [...validateLevel(schema, path, refuseLevel)]
  if (refused.length > 0) return refused
  const errors = [...validateLevel(schema, path, validateStructure)]
  if (schema['type'] !== 'object') {
    const at = `${path}.type`
    errors.unshift(
      schema['type'] === undefined
        ? required(at, 'must not be empty at the root')
        : invalidValue(at, schema['type'], 'must be object at the root'),
    )
  }
  return errors.length > 0 ? errors : checkRules(schema, path)
}

type Check = (schema: JsonObject, path: string) => readonly FieldError[]

function validateLevel(schema: JsonObject, path: string, check: Check, depth = 0): readonly FieldError[] {
  if (depth > depthMax)
    return [
      notAllowed(
        path,
        `schemas nested deeper than ${depthMax} levels are not supported by the embedded cluster. Flatten the schema`,
      ),
    ]
  const inner = [...innerSchemas(schema, path)]
  return [...check(schema, path), ...inner.flatMap(([at, level]) => validateLevel(level, at, check, depth + 1))]
}

/** Refuses the features that are not allowed on any level. */
function refuseLevel(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const { type, properties } = schema
  for (const [name, why] of Object.entries(forbidden)) {
    if (schema[name] !== undefined && schema[name] !== false) errors.push(notAllowed(`${path}.${name}`, why))
  }
  if (type !== undefined && !types.some((known) => known === type))
    errors.push(notSupported(`${path}.type`, type, types))
  if (Array.isArray(schema['items'])) {
    errors.push(notAllowed(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (isObject(properties) && Object.keys(properties).length > 0 && schema['additionalProperties'] !== undefined) {
    const why = 'additionalProperties and properties are mutual exclusive'
    errors.push(notAllowed(`${path}.additionalProperties`, why))
  }
  return [...errors, ...validatePattern(schema['pattern'], `${path}.pattern`)]
}

/** Requires one known type for every field. */
function validateStructure(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (schema['type'] === 'array' && schema['items'] === undefined) {
    errors.push(required(`${path}.items`, 'must be specified'))
  }
  for (const [at, inner, element] of innerSchemas(schema, path)) {
    if (untyped(inner)) errors.push(required(`${at}.type`, `must not be empty for specified ${element}`))
  }
  return errors
}

function* innerSchemas(schema: JsonObject, path: string): Iterable<readonly [string, JsonObject, string]> {
  const { properties, items, additionalProperties } = schema
  if (isObject(properties)) {
    for (const [name, inner] of Object.entries(properties)) {
      if (isObject(inner)) yield [`${path}.properties[${name}]`, inner, 'object fields']
    }
  }
  if (isObject(items)) yield [`${path}.items`, items, 'array items']
  if (isObject(additionalProperties)) yield [`${path}.additionalProperties`, additionalProperties, 'object fields']
}

function untyped(schema: JsonObject): boolean {
  const free = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  return (schema['type'] === undefined || schema['type'] === '') && !free
}

function validatePattern(pattern: unknown, path: string): readonly FieldError[] {
  if (typeof pattern !== 'string') return []
  try {
    readPattern(pattern)
    return []
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [invalidValue(path, pattern, `must be a valid regular expression, but isn't: ${why}`)]
  }
}
