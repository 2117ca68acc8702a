// The OpenAPI schemas of kinds. Built-in kinds have the types of their field table: enough for `kubectl explain`,
// validation and three-way merges. Custom resources have the schema of their definition.
import { type Field, type FieldType, type Leaf, structOf } from '../../api/fields/fields.ts'
import type { Kind } from '../../api/kind.ts'
import { isObject } from '../../api/values/json.ts'

/** A schema object of OpenAPI, as far as Kubernetes' documents use it. */
export type Schema = { readonly [keyword: string]: unknown }

/** Schemas by the names that other schemas use to refer to them. */
export type Components = Map<string, Schema>

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

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

/**
 * Adds the schema of a custom kind. Returns its name, in Kubernetes' form: the reversed group, the version, the kind.
 */
export function addCustom(kind: Kind, version: string, components: Components): string {
  const name = [...kind.group.split('.').reverse(), version, kind.kind].join('.')
  const own = kind.versions.find((served) => served.name === version)?.schema ?? { type: 'object' }
  const metadata = addStruct('ObjectMeta', components)
  components.set(name, {
    ...own,
    properties: {
      ...(isObject(own['properties']) ? own['properties'] : {}),
      apiVersion: { type: 'string', description: 'The API version of this object.' },
      kind: { type: 'string', description: 'The kind of this object.' },
      metadata: {
        description: 'Standard object metadata.',
        ...(metadata === undefined ? { type: 'object' } : { allOf: [reference(metadata)] }),
      },
    } satisfies Schema,
  })
  return name
}
