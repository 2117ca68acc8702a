// Validates a value against a structural schema, with the messages of kube-openapi's validator.
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../values/field-error.ts'
import { isObject, type JsonObject, sameJson } from '../values/json.ts'
import { fitsFormat } from './formats.ts'
import type { Schema } from './schema.ts'
import { newWork, spend, type WorkLeft } from './work.ts'

/** The steps of a regular expression that take as long as one step of the validation. */
const patternSteps = 100

export function validateValue(schema: Schema, value: unknown, path: string, left = newWork()): readonly FieldError[] {
  spend(left, 1 + (schema.enum?.length ?? 0))
  if (value === null && schema.nullable) return []
  const wrong = validateType(schema, value, path)
  if (wrong !== undefined) return [wrong]
  const errors = validateByType(schema, value, path, left)
  if (schema.enum === undefined && !isCombined(schema)) return errors
  const combined = isCombined(schema) ? validateCombined(schema, value, path, left) : []
  return [...validateEnum(schema, value, path), ...combined, ...errors]
}

function validateByType(schema: Schema, value: unknown, path: string, left: WorkLeft): readonly FieldError[] {
  if (typeof value === 'string') return validateString(schema, value, path, left)
  if (typeof value === 'number') return validateNumber(schema, value, path)
  if (Array.isArray(value)) return validateList(schema, value, path, left)
  return isObject(value) ? validateObject(schema, value, path, left) : []
}

function validateType(schema: Schema, value: unknown, path: string): FieldError | undefined {
  const actual = typeOf(value)
  if (schema.intOrString) {
    if (actual === 'integer' || actual === 'string') return undefined
    return typeInvalid(path, actual, `${path} in body must be of type integer,string: "${actual}"`)
  }
  if (schema.type === undefined && (value !== null || schema.preserves)) return undefined
  if (actual === schema.type || (actual === 'integer' && schema.type === 'number')) return undefined
  return typeInvalid(path, actual, `${path} in body must be of type ${schema.type ?? 'object'}: "${actual}"`)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function validateEnum(schema: Schema, value: unknown, path: string): readonly FieldError[] {
  if (schema.enum === undefined || schema.enum.some((item) => sameJson(item, value))) return []
  const values = schema.enum.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
  return [notSupported(path, value, values)]
}

function validateString(schema: Schema, value: string, path: string, left: WorkLeft): readonly FieldError[] {
  const errors: FieldError[] = []
  const { minLength = 0, maxLength } = schema.limits
  // Kubernetes counts code points. A text has no more of them than characters, and no less than half as many.
  const isLong = maxLength !== undefined && value.length > maxLength && [...value].length > maxLength
  const isShort = value.length < 2 * minLength && [...value].length < minLength
  if (isLong) errors.push(tooLong(path, maxLength))
  if (isShort) {
    errors.push(invalidValue(path, value, `${path} in body should be at least ${minLength} chars long`))
  }
  if (schema.pattern !== undefined) spend(left, Math.ceil((schema.pattern.size * value.length) / patternSteps))
  if (schema.pattern !== undefined && !schema.pattern.test(value)) {
    errors.push(invalidValue(path, value, `${path} in body should match '${schema.pattern.source}'`))
  }
  if (schema.format !== undefined && !fitsFormat(schema.format, value)) {
    errors.push(typeInvalid(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`))
  }
  return errors
}

function validateNumber(schema: Schema, value: number, path: string): readonly FieldError[] {
  const { minimum, maximum, multipleOf } = schema.limits
  const errors: FieldError[] = []
  const say = (what: string): void => {
    errors.push(invalidValue(path, value, `${path} in body should be ${what}`))
  }
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum ? value >= maximum : value > maximum) {
      say(schema.exclusiveMaximum ? `less than ${maximum}` : `less than or equal to ${maximum}`)
    }
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum ? value <= minimum : value < minimum) {
      say(schema.exclusiveMinimum ? `greater than ${minimum}` : `greater than or equal to ${minimum}`)
    }
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) say(`a multiple of ${multipleOf}`)
  return errors
}

function validateList(schema: Schema, value: readonly unknown[], path: string, left: WorkLeft): readonly FieldError[] {
  const { minItems = 0, maxItems } = schema.limits
  const errors: FieldError[] = []
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems))
  if (value.length < minItems) {
    errors.push(invalidValue(path, value.length, `${path} in body should have at least ${minItems} items`))
  }
  const { items } = schema
  if (items !== undefined) {
    for (const [index, item] of value.entries()) errors.push(...validateValue(items, item, `${path}[${index}]`, left))
  }
  spend(left, value.length * schema.listKeys.length)
  return [...errors, ...validateUnique(schema, value, path)]
}

/** Refuses duplicates in lists that are sets, or maps by some keys. */
function validateUnique(schema: Schema, value: readonly unknown[], path: string): readonly FieldError[] {
  if (schema.listType !== 'set' && schema.listType !== 'map') return []
  const seen = new Set<string>()
  const errors: FieldError[] = []
  for (const [index, item] of value.entries()) {
    const key = schema.listType === 'set' ? item : keysOf(item, schema.listKeys)
    const text = JSON.stringify(key)
    if (seen.has(text)) errors.push(duplicate(`${path}[${index}]`, key))
    seen.add(text)
  }
  return errors
}

function keysOf(item: unknown, keys: readonly string[]): JsonObject {
  const found: Record<string, unknown> = {}
  if (isObject(item)) for (const key of keys) if (item[key] !== undefined) found[key] = item[key]
  return found
}

function validateObject(schema: Schema, value: JsonObject, path: string, left: WorkLeft): readonly FieldError[] {
  const { minProperties = 0, maxProperties } = schema.limits
  const errors: FieldError[] = []
  const count = Object.keys(value).length
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties))
  if (count < minProperties) {
    errors.push(invalidValue(path, count, `${path} in body should have at least ${minProperties} properties`))
  }
  spend(left, schema.required.length)
  for (const name of schema.required) if (value[name] === undefined) errors.push(required(join(path, name)))
  for (const [name, item] of Object.entries(value)) {
    const inner = schema.properties.get(name) ?? (schema.additional === true ? undefined : schema.additional)
    if (inner !== undefined) errors.push(...validateValue(inner, item, join(path, name), left))
  }
  return errors
}

function isCombined({ anyOf, oneOf, allOf, not }: Schema): boolean {
  return anyOf.length + oneOf.length + allOf.length > 0 || not !== undefined
}

/** Validates anyOf, oneOf, allOf and not. Kubernetes reports their failures without a field. */
function validateCombined(schema: Schema, value: unknown, path: string, left: WorkLeft): readonly FieldError[] {
  // Each alternative is validated once: a second time would double the work at each level.
  let first: readonly FieldError[] = []
  const fits = (inner: Schema, index: number): boolean => {
    const found = validateValue(inner, value, path, left)
    if (index === 0) first = found
    return found.length === 0
  }
  const say = (what: string): FieldError => invalidValue('<nil>', '', `"${path}" must ${what}`)
  const errors: FieldError[] = []
  if (schema.anyOf.length > 0 && !schema.anyOf.some(fits)) {
    errors.push(say('validate at least one schema (anyOf)'), ...first)
  }
  if (schema.oneOf.length > 0) {
    const count = schema.oneOf.filter(fits).length
    const found = count === 0 ? 'none valid' : `${count} valid alternatives`
    if (count !== 1) errors.push(say(`validate one and only one schema (oneOf). Found ${found}`))
    if (count === 0) errors.push(...first)
  }
  if (!schema.allOf.every(fits)) errors.push(say('validate all the schemas (allOf)'))
  if (schema.not !== undefined && fits(schema.not, 0)) errors.push(say('not validate the schema (not)'))
  return errors
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
