// The shapes of custom kinds: their structural schema with its x-kubernetes list and map types.
import { field, isObject, type JsonObject, list, objectAt } from '../json.ts'
import { type Kind, structName } from '../kind.ts'
import { structShape } from './built-in-shape.ts'
import { free, leaf, type Shape } from './shape.ts'

/** Returns the shape of a kind's objects in a version. */
export function kindShape(kind: Kind, version: string): Shape {
  if (!kind.custom) return structShape(structName(kind))
  const schema = kind.versions.find(({ name }) => name === version)?.schema ?? {}
  const own = schemaShape(schema)
  return {
    is: 'struct',
    fieldOf: (name) => {
      if (name === 'metadata') return structShape('ObjectMeta')
      if (name === 'apiVersion' || name === 'kind') return leaf
      return own.is === 'struct' ? own.fieldOf(name) : free
    },
  }
}

function schemaShape(schema: JsonObject): Shape {
  if (schema['x-kubernetes-map-type'] === 'atomic') return leaf
  if (schema['type'] === 'array') return listShape(schema)
  const { properties, additionalProperties } = schema
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (isObject(properties) && Object.keys(properties).length > 0) {
    return {
      is: 'struct',
      fieldOf: (name) => {
        const inner = properties[name]
        if (isObject(inner)) return schemaShape(inner)
        return keepsUnknown ? free : embedded(schema, name)
      },
    }
  }
  if (isObject(additionalProperties)) return { is: 'map', of: schemaShape(additionalProperties) }
  if (keepsUnknown || additionalProperties === true) return free
  return schema['type'] === 'object' ? { is: 'struct', fieldOf: (name) => embedded(schema, name) } : leaf
}

function embedded(schema: JsonObject, name: string): Shape | undefined {
  if (schema['x-kubernetes-embedded-resource'] !== true) return undefined
  if (name === 'metadata') return structShape('ObjectMeta')
  return name === 'apiVersion' || name === 'kind' ? leaf : undefined
}

function listShape(schema: JsonObject): Shape {
  const type = schema['x-kubernetes-list-type']
  if (type === 'set') return { is: 'set' }
  if (type !== 'map') return leaf
  const names = list(schema, 'x-kubernetes-list-map-keys').filter((key) => typeof key === 'string')
  const keys = names.sort().map((name) => ({ name, default: field(schema, 'items', 'properties', name, 'default') }))
  return { is: 'keyed', keys, of: schemaShape(objectAt(schema, 'items')) }
}
