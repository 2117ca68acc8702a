// A structural schema (the OpenAPI subset of CustomResourceDefinitions), in the form that values are validated against.
import { field, isObject, type JsonObject, list, objectAt, text } from '../values/json.ts'
import { knownPattern, type Pattern } from './pattern.ts'

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

export type Schema = {
  readonly type: SchemaType | undefined
  readonly intOrString: boolean
  readonly nullable: boolean
  /** Keeps unknown fields. */
  readonly preserves: boolean
  /** The value is a whole Kubernetes object: apiVersion, kind and metadata are always allowed. */
  readonly embedded: boolean
  readonly properties: ReadonlyMap<string, Schema>
  /** Maps only: the schema of every value. `true` allows any value. */
  readonly additional: Schema | true | undefined
  readonly items: Schema | undefined
  readonly required: readonly string[]
  readonly default: unknown
  /** Whether this schema, or one below it, has a default. */
  readonly hasDefaults: boolean
  readonly enum: readonly unknown[] | undefined
  readonly pattern: Pattern | undefined
  readonly format: string | undefined
  readonly listType: string | undefined
  readonly listKeys: readonly string[]
  /** The numeric limits by name: minimum, maxLength and so on. */
  readonly limits: Readonly<Record<string, number>>
  readonly exclusiveMinimum: boolean
  readonly exclusiveMaximum: boolean
  readonly allOf: readonly Schema[]
  readonly anyOf: readonly Schema[]
  readonly oneOf: readonly Schema[]
  readonly not: Schema | undefined
  readonly mapType: string | undefined
  /** The rules of `x-kubernetes-validations`. */
  readonly rules: readonly RuleText[]
}

/** One rule as the definition has it. An empty text counts as missing. */
export type RuleText = {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string | undefined
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

const types = new Set<unknown>(['object', 'array', 'string', 'integer', 'number', 'boolean'])
const limitNames = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
]

/** Reads a schema that validate-schema.ts has accepted. */
export function readSchema(schema: JsonObject): Schema {
  const { type, pattern, format } = schema
  const listKeys = schema['x-kubernetes-list-map-keys']
  const parts = partsOf(schema)
  return {
    type: isType(type) ? type : undefined,
    intOrString: schema['x-kubernetes-int-or-string'] === true,
    nullable: schema['nullable'] === true,
    preserves: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: schema['x-kubernetes-embedded-resource'] === true,
    ...parts,
    required: strings(schema['required']),
    default: schema['default'],
    hasDefaults: schema['default'] !== undefined || someHaveDefaults(parts),
    enum: Array.isArray(schema['enum']) ? schema['enum'] : undefined,
    pattern: typeof pattern === 'string' ? knownPattern(pattern) : undefined,
    format: typeof format === 'string' ? format : undefined,
    listType: typeof schema['x-kubernetes-list-type'] === 'string' ? schema['x-kubernetes-list-type'] : undefined,
    listKeys: strings(listKeys),
    limits: limitsOf(schema),
    exclusiveMinimum: schema['exclusiveMinimum'] === true,
    exclusiveMaximum: schema['exclusiveMaximum'] === true,
    allOf: schemas(schema['allOf']),
    anyOf: schemas(schema['anyOf']),
    oneOf: schemas(schema['oneOf']),
    not: isObject(schema['not']) ? readSchema(schema['not']) : undefined,
    mapType: typeof schema['x-kubernetes-map-type'] === 'string' ? schema['x-kubernetes-map-type'] : undefined,
    rules: readRules(schema),
  }
}

type Parts = Pick<Schema, 'properties' | 'additional' | 'items'>

function partsOf(schema: JsonObject): Parts {
  const additional = schema['additionalProperties']
  return {
    properties: new Map(
      Object.entries(objectAt(schema, 'properties')).map(([name, inner]) => [name, readSchema(objectAt(inner))]),
    ),
    additional: additional === true ? true : isObject(additional) ? readSchema(additional) : undefined,
    items: isObject(schema['items']) ? readSchema(schema['items']) : undefined,
  }
}

function someHaveDefaults({ properties, additional, items }: Parts): boolean {
  const others = additional === true ? [items] : [items, additional]
  return [...properties.values(), ...others].some((inner) => inner?.hasDefaults)
}

export function readRules(schema: JsonObject): readonly RuleText[] {
  if (schema['x-kubernetes-validations'] === undefined) return none
  return list(schema, 'x-kubernetes-validations').map((rule) => {
    const reason = field(rule, 'reason')
    const optional = field(rule, 'optionalOldSelf')
    return {
      rule: text(rule, 'rule'),
      message: text(rule, 'message'),
      messageExpression: text(rule, 'messageExpression'),
      reason: typeof reason === 'string' ? reason : undefined,
      fieldPath: text(rule, 'fieldPath'),
      optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
    }
  })
}

function isType(value: unknown): value is SchemaType {
  return types.has(value)
}

// A definition may have tens of thousands of fields, and most of them have neither limits nor lists: they share the empty ones.
const noLimits: Readonly<Record<string, number>> = {}
const none: readonly never[] = []

function limitsOf(schema: JsonObject): Readonly<Record<string, number>> {
  const names = limitNames.filter((name) => typeof schema[name] === 'number')
  return names.length === 0 ? noLimits : Object.fromEntries(names.map((name) => [name, Number(schema[name])]))
}

function schemas(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.map((inner) => readSchema(objectAt(inner))) : none
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : none
}
