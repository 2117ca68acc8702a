// The shapes of custom kinds: their structural schema with its x-kubernetes list and map types.
import { once } from '@dayfly/kit/once'
import type { Kind } from '../kind.ts'
import { field, isObject, type JsonObject, list, objectAt } from '../values/json.ts'
import { structShape } from './built-in-shape.ts'
import { free, leaf, type Shape } from './shape.ts'

/** Returns the shape of a kind's objects in a version. */
export function kindShape(kind: Kind, version: string): Shape {
  if (!kind.custom) return structShape(kind.kind)
  return kind.versions.find(({ name }) => name === version)?.shape ?? customShape({})
}

/** Returns the shape of the objects that a schema describes. */
export function customShape(schema: JsonObject): Shape {
  const own = schemaShape(schema)
  const metadata = structShape('ObjectMeta')
  return {
    is: 'struct',
    fieldOf: (name) => {
      if (name === 'metadata') return metadata
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
    // A schema may be large, and few objects have all of it.
    const fields = once(() => propertyShapes(properties))
    const other = (name: string) => (keepsUnknown ? free : embedded(schema, name))
    return { is: 'struct', fieldOf: (name) => fields().get(name) ?? other(name) }
  }
  if (isObject(additionalProperties)) return { is: 'map', of: schemaShape(additionalProperties) }
  if (keepsUnknown || additionalProperties === true) return free
  return schema['type'] === 'object' ? { is: 'struct', fieldOf: (name) => embedded(schema, name) } : leaf
}

function propertyShapes(properties: JsonObject): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>()
  for (const [name, schema] of Object.entries(properties)) if (isObject(schema)) shapes.set(name, schemaShape(schema))
  return shapes
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
