// Makes JSON schemas for kubeconform from Kubernetes' own field names and types. They refuse unknown fields, as its -strict does.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type FieldType, type Leaf, structOf } from '@dayfly/cluster/api/fields/fields'

/** One file a kind, named as kubeconform's {{ .ResourceKind }}. */
export function writeSchemas(folder: string, kinds: readonly string[]): void {
  mkdirSync(folder)
  for (const kind of kinds) {
    const definitions: Record<string, object> = {}
    const root = objectSchema(kind, definitions)
    const text = { type: 'string' }
    const schema = { ...root, properties: { apiVersion: text, kind: text, ...root.properties }, definitions }
    writeFileSync(path.join(folder, `${kind.toLowerCase()}.json`), JSON.stringify(schema))
  }
}

function objectSchema(name: string, definitions: Record<string, object>) {
  const fields = [...(structOf(name)?.fields.values() ?? [])]
  const properties = Object.fromEntries(fields.map(({ name: field, type }) => [field, schemaOf(type, definitions)]))
  return { type: 'object', properties, additionalProperties: false }
}

function schemaOf(type: FieldType, definitions: Record<string, object>): object {
  switch (type.is) {
    case 'leaf':
      return leafSchemas[type.leaf]
    case 'list':
      return { type: 'array', items: schemaOf(type.of, definitions) }
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.of, definitions) }
    case 'struct':
      if (!structOf(type.struct)) return {}
      if (!definitions[type.struct]) {
        definitions[type.struct] = {}
        definitions[type.struct] = objectSchema(type.struct, definitions)
      }
      return { $ref: `#/definitions/${type.struct}` }
  }
}

const leafSchemas: Readonly<Record<Leaf, object>> = {
  string: { type: ['string', 'null'] },
  bool: { type: ['boolean', 'null'] },
  int32: { type: ['integer', 'null'] },
  int64: { type: ['integer', 'null'] },
  float64: { type: ['number', 'null'] },
  bytes: { type: ['string', 'null'] },
  Time: { type: ['string', 'null'] },
  MicroTime: { type: ['string', 'null'] },
  Quantity: { type: ['string', 'number', 'null'] },
  IntOrString: { type: ['string', 'integer', 'null'] },
  any: {},
}
