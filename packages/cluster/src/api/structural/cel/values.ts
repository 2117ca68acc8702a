// Converts JSON values to CEL values by their schema, and declares the CEL type of each object of a schema.
import { type Environment, parse } from '@marcbachmann/cel-js'
import { isObject, type JsonObject, sameJson } from '../../values/json.ts'
import type { Schema } from '../schema.ts'
import { celName } from './field-names.ts'

/** The CEL type of a part of a schema, and how its values are converted. */
export type CelType = { readonly name: string; readonly convert: (value: unknown) => unknown }

/** Declares the types of a schema. Returns the root's type; undefined for values that rules cannot read. */
export function declareTypes(environment: Environment, schema: Schema): CelTypes {
  const types = new Map<Schema, CelType>()
  let count = 0
  const nameObject = () => `object.o${++count}`
  const declare = (inner: Schema): CelType | undefined => {
    const type = typeOf(inner, declare, (fields) => declareObject(environment, nameObject(), fields))
    if (type !== undefined) types.set(inner, type)
    return type
  }
  declare(schema)
  return types
}

export type CelTypes = ReadonlyMap<Schema, CelType>

type Declare = (schema: Schema) => CelType | undefined
type Fields = ReadonlyMap<string, readonly [name: string, type: CelType]>

function typeOf(schema: Schema, declare: Declare, object: (fields: Fields) => CelType): CelType | undefined {
  const type = schema.intOrString ? dynamic : typeOfValue(schema, declare, object)
  if (type === undefined || !schema.nullable) return type
  return { name: 'dyn', convert: (value) => (value === null ? null : type.convert(value)) }
}

function typeOfValue(schema: Schema, declare: Declare, object: (fields: Fields) => CelType): CelType | undefined {
  switch (schema.type) {
    case 'array':
      return listOf(schema.items && declare(schema.items))
    case 'object':
      if (schema.additional === true) return undefined
      if (schema.additional !== undefined) return mapOf(declare(schema.additional))
      return object(fieldsOf(schema, declare, object))
    case 'string':
      return stringTypes[schema.format ?? ''] ?? text
    case 'integer':
      return integer
    case 'number':
      return { name: 'double', convert: (value) => value }
    case 'boolean':
      return { name: 'bool', convert: (value) => value }
    default:
      return undefined
  }
}

const text: CelType = { name: 'string', convert: (value) => value }
const integer: CelType = { name: 'int', convert: (value) => (typeof value === 'number' ? BigInt(value) : value) }
const dynamic: CelType = { name: 'dyn', convert: integer.convert }
const time: CelType = { name: 'google.protobuf.Timestamp', convert: (value) => new Date(String(value)) }

/** The formats whose strings are other types in rules. */
const stringTypes: Readonly<Record<string, CelType>> = {
  byte: { name: 'bytes', convert: (value) => new Uint8Array(Buffer.from(String(value), 'base64')) },
  'date-time': time,
  date: time,
  duration: { name: 'google.protobuf.Duration', convert: (value) => toDuration({ value: String(value) }) },
}

const toDuration = parse('duration(value)')

function listOf(item: CelType | undefined): CelType | undefined {
  if (item === undefined) return undefined
  return {
    name: `list<${item.name}>`,
    convert: (value) => (Array.isArray(value) ? value.map(item.convert) : []),
  }
}

function mapOf(item: CelType | undefined): CelType | undefined {
  if (item === undefined) return undefined
  const convert = (value: unknown) =>
    new Map(Object.entries(isObject(value) ? value : {}).map(([key, entry]) => [key, item.convert(entry)]))
  return { name: `map<string, ${item.name}>`, convert }
}

function fieldsOf(schema: Schema, declare: Declare, object: (fields: Fields) => CelType): Fields {
  const fields = new Map<string, readonly [string, CelType]>()
  for (const [property, inner] of schema.properties) {
    const name = celName(property)
    const type = declare(inner)
    if (name !== undefined && type !== undefined) fields.set(property, [name, type])
  }
  if (!schema.embedded) return fields
  const metadata = object(new Map(['name', 'generateName'].map((name) => [name, [name, text] as const])))
  return new Map([
    ...fields,
    ['apiVersion', ['apiVersion', text]],
    ['kind', ['kind', text]],
    ['metadata', ['metadata', metadata]],
  ])
}

/** An object with declared fields. Absent fields have no entry. */
class CelObject extends Map<string, unknown> {
  readonly raw: JsonObject

  constructor(raw: JsonObject, fields: Fields) {
    super()
    this.raw = raw
    for (const [property, [name, type]] of fields) {
      if (Object.hasOwn(raw, property) && raw[property] !== undefined) this.set(name, type.convert(raw[property]))
    }
  }
}

/** Declares a type with these fields. Two objects of it are equal if their JSON is. */
function declareObject(environment: Environment, name: string, fields: Fields): CelType {
  const ctor = class extends CelObject {}
  const declared = Object.fromEntries([...fields.values()].map(([field, type]) => [field, type.name]))
  environment.registerType(name, { ctor, fields: declared })
  environment.registerOperator(`${name} == ${name}`, (left: CelObject, right: CelObject) =>
    sameJson(left.raw, right.raw),
  )
  return { name, convert: (value) => new ctor(isObject(value) ? value : {}, fields) }
}
