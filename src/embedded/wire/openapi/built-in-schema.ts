// Schemas of the built-in kinds, from their field table: enough for `kubectl explain`, validation and three-way merges.
import { type Field, type FieldType, type Leaf, structOf } from '../../api/fields/fields.ts'
import { type Components, reference, type Schema } from './schema.ts'

/**
 * Adds the schema of a struct, and all schemas it refers to. Returns its name, or undefined if there is no such
 * struct.
 */
export function addStruct(struct: string, components: Components): string | undefined {
  const name = `io.k8s.api.v1.${struct}`
  if (components.has(name)) return name
  const found = structOf(struct)
  if (!found) return undefined
  const properties: Record<string, Schema> = {}
  components.set(name, { type: 'object', properties })
  for (const field of found.fields.values()) properties[field.name] = fieldSchema(field, components)
  return name
}

function fieldSchema(field: Field, components: Components): Schema {
  const { merge } = field
  const type = typeSchema(field.type, components)
  if (!merge) return type
  return {
    ...type,
    ...(merge.strategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': merge.strategies.join(',') }),
    ...(merge.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': merge.key }),
  }
}

function typeSchema(type: FieldType, components: Components): Schema {
  switch (type.is) {
    case 'leaf':
      return leafSchemas[type.leaf]
    case 'list':
      return { type: 'array', items: typeSchema(type.of, components) }
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.of, components) }
    case 'struct': {
      const name = addStruct(type.struct, components)
      return name === undefined ? leafSchemas.any : { allOf: [reference(name)] }
    }
  }
}

const leafSchemas: Readonly<Record<Leaf, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Quantity: { type: 'string' },
  IntOrString: { type: 'string', format: 'int-or-string' },
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}
