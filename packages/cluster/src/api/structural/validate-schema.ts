// Validates that a schema is structural. Refuses features that this API server cannot enforce.
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../values/field-error.ts'
import { isObject, type JsonObject, list } from '../values/json.ts'
import { checkRules } from './cel/check-rules.ts'
import { PatternError, readPattern, sizeOf } from './pattern.ts'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const forbidden = Object.entries({
  $ref: '$ref is not supported',
  definitions: 'definitions is not supported',
  dependencies: 'dependencies is not supported',
  patternProperties: 'patternProperties is not supported',
  additionalItems: 'additionalItems is not supported',
  id: 'id is not supported',
  uniqueItems: 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
})
/** The deepest nesting of a schema. */
const depthMax = 64

export function validateSchema(schema: JsonObject, path: string): readonly FieldError[] {
  const refused = [...levelErrors(schema, path, refuseLevel), ...validatePatterns(schema, path)]
  if (refused.length > 0) return refused
  const errors = levelErrors(schema, path, validateStructure)
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

function levelErrors(schema: JsonObject, path: string, check: Check): FieldError[] {
  const errors: FieldError[] = []
  addLevel(errors, schema, { path, check, depth: 0 })
  return errors
}

type Level = { readonly path: string; readonly check: Check; readonly depth: number }

function addLevel(errors: FieldError[], schema: JsonObject, { path, check, depth }: Level): void {
  if (depth > depthMax) {
    const why = `schemas nested deeper than ${depthMax} levels are not supported by the embedded cluster. Flatten the schema`
    errors.push(notAllowed(path, why))
    return
  }
  for (const error of check(schema, path)) errors.push(error)
  visitInner(schema, path, (at, inner) => addLevel(errors, inner, { path: at, check, depth: depth + 1 }))
}

/** Refuses the features that are not allowed on any level. */
function refuseLevel(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const { type, properties } = schema
  for (const [name, why] of forbidden) {
    if (schema[name] !== undefined && schema[name] !== false) errors.push(notAllowed(`${path}.${name}`, why))
  }
  if (type !== undefined && !types.some((known) => known === type))
    errors.push(notSupported(`${path}.type`, type, types))
  if (Array.isArray(schema['items'])) {
    errors.push(notAllowed(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (isObject(properties) && schema['additionalProperties'] !== undefined && Object.keys(properties).length > 0) {
    const why = 'additionalProperties and properties are mutual exclusive'
    errors.push(notAllowed(`${path}.additionalProperties`, why))
  }
  return errors
}

/** Requires one known type for every field. */
function validateStructure(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (schema['type'] === 'array' && schema['items'] === undefined) {
    errors.push(required(`${path}.items`, 'must be specified'))
  }
  visitInner(schema, path, (at, inner, element) => {
    if (untyped(inner)) errors.push(required(`${at}.type`, `must not be empty for specified ${element}`))
  })
  return errors
}

type Visit = (path: string, inner: JsonObject, element: 'object fields' | 'array items') => void

/** Visits the schemas one level below. A definition may have 40,000 of them, so nothing is made for each. */
function visitInner({ properties, items, additionalProperties }: JsonObject, path: string, visit: Visit): void {
  if (isObject(properties)) {
    for (const name of Object.keys(properties)) {
      const inner = properties[name]
      if (isObject(inner)) visit(`${path}.properties[${name}]`, inner, 'object fields')
    }
  }
  if (isObject(items)) visit(`${path}.items`, items, 'array items')
  if (isObject(additionalProperties)) visit(`${path}.additionalProperties`, additionalProperties, 'object fields')
}

function untyped(schema: JsonObject): boolean {
  const free = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  return (schema['type'] === undefined || schema['type'] === '') && !free
}

/** The sum of the sizes of a schema's different patterns. Compiling them takes up to half a second. */
const patternsMax = 20_000
const patternMin = 10

function validatePatterns(schema: JsonObject, path: string): readonly FieldError[] {
  // Generated definitions repeat the same few patterns many times.
  const different = new Set<string>()
  visitPatterns(schema, path, (_at, pattern) => different.add(pattern))
  let size = 0
  for (const pattern of different) size += Math.max(patternMin, sizeOf(pattern))
  if (size > patternsMax) {
    return [
      notAllowed(path, 'so many or so large patterns are not supported by the embedded cluster. Remove some of them'),
    ]
  }
  const problems = new Map([...different].map((pattern) => [pattern, problemOf(pattern)]))
  const errors: FieldError[] = []
  if ([...problems.values()].every((problem) => problem === undefined)) return errors
  const note = (at: string, pattern: string) => {
    const problem = problems.get(pattern)
    if (problem !== undefined) errors.push(invalidValue(at, pattern, problem))
  }
  visitPatterns(schema, path, note)
  return errors
}

/** Visits the patterns of all levels, also of those that combine schemas, with their paths. */
function visitPatterns(schema: JsonObject, path: string, visit: (path: string, pattern: string) => void): void {
  const { pattern, not } = schema
  if (typeof pattern === 'string') visit(`${path}.pattern`, pattern)
  visitInner(schema, path, (at, inner) => visitPatterns(inner, at, visit))
  if (isObject(not)) visitPatterns(not, `${path}.not`, visit)
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    for (const [index, inner] of list(schema, name).entries()) {
      if (isObject(inner)) visitPatterns(inner, `${path}.${name}[${index}]`, visit)
    }
  }
}

function problemOf(pattern: string): string | undefined {
  try {
    readPattern(pattern)
    return undefined
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return `must be a valid regular expression, but isn't: ${error.message}`
  }
}
