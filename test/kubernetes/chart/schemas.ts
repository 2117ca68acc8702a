// Writes JSON schemas for kubeconform from the OpenAPI document of an API server, with every unknown field forbidden.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fieldsAt, isJsonObject, listAt, textAt } from '@dayfly/kit/read-json'

/** Returns the value of `--schema-location`. Its suffix is the first part of the group, and the version. @param documents the OpenAPI v3 document of each group and version */
export function writeSchemas(folder: string, documents: readonly unknown[]): string {
  mkdirSync(folder, { recursive: true })
  for (const document of documents) {
    const schemas = fieldsAt(document, 'components', 'schemas') ?? {}
    const definitions = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, strict(schema)]))
    for (const [name, schema] of Object.entries(schemas)) {
      const [kind, ...more] = listAt(schema, 'x-kubernetes-group-version-kind')
      const version = textAt(kind, 'version')
      if (version === undefined || more.length > 0) continue
      const [group] = (textAt(kind, 'group') ?? '').split('.')
      const file = [textAt(kind, 'kind'), group, version].filter(Boolean).join('-').toLowerCase()
      const root = { $ref: `#/components/schemas/${name}`, components: { schemas: definitions } }
      writeFileSync(path.join(folder, `${file}.json`), JSON.stringify(root))
    }
  }
  return path.join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json')
}

/** Forbids unknown fields, except where the API server keeps them or the schema describes them. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (!isJsonObject(schema)) return schema
  const copied = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]))
  const open = schema['additionalProperties'] !== undefined || schema['x-kubernetes-preserve-unknown-fields'] === true
  return isJsonObject(schema['properties']) && !open ? { ...copied, additionalProperties: false } : copied
}
