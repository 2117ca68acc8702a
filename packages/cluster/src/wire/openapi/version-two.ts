// The OpenAPI v2 document: the schemas of all kinds, without paths. Version 2 cannot describe all of a custom kind's schema, so
// parts of it are left out, as in Kubernetes.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go
import type { Profile } from '../../api/api.ts'
import type { Kind, Kinds } from '../../api/kind.ts'
import { isObject, type JsonObject, list } from '../../api/values/json.ts'
import { groupsOf } from '../group-versions.ts'
import { infoOf, mark } from './document.ts'
import { addCustom, addStruct, type Components } from './schemas.ts'

const keepsUnknown = 'x-kubernetes-preserve-unknown-fields'

export function versionTwoDocument(kinds: Kinds, profile: Profile): object {
  const components: Components = new Map()
  for (const { name: group, versions } of groupsOf(kinds)) {
    for (const { version, kinds: served } of versions) {
      for (const kind of served) {
        const name = kind.custom ? addCustom(describable(kind), version, components) : addStruct(kind.kind, components)
        // A schema that keeps all unknown fields names none.
        const isOpen = kind.custom && kind.versions.find((one) => one.name === version)?.schema?.[keepsUnknown] === true
        if (name !== undefined && isOpen) components.set(name, { type: 'object' })
        if (name !== undefined) mark(components, name, { group, version, kind: kind.kind }, kind)
      }
    }
  }
  const definitions = withReferences(Object.fromEntries(components))
  return { swagger: '2.0', info: infoOf(profile), paths: {}, definitions }
}

/** Version 2 has another place for schemas. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === '$ref' && typeof item === 'string'
        ? item.replace('#/components/schemas/', '#/definitions/')
        : withReferences(item),
    ]),
  )
}

function describable(kind: Kind): Kind {
  const versions = kind.versions.map((version) =>
    version.schema === undefined ? version : { ...version, schema: schemaOf(version.schema) },
  )
  return { ...kind, versions }
}

function schemaOf(schema: JsonObject): JsonObject {
  const { allOf: _, oneOf: __, anyOf: ___, not: ____, nullable, ...rest } = schema
  const isOpen = rest[keepsUnknown] === true
  const { type, items, properties, ...others } = rest
  const isAny = nullable === true || isOpen
  const kept = isAny
    ? {}
    : { ...(items === undefined ? {} : { items }), ...(properties === undefined ? {} : { properties }) }
  const isUntyped = nullable === true || (type === 'array' && !('items' in kept)) || (type === 'object' && isOpen)
  return withInner({ ...others, ...kept, ...(isUntyped || type === undefined ? {} : { type }) })
}

/** Converts the schemas inside a schema. A field that may be null is not required: version 2 has no null. */
function withInner(schema: JsonObject): JsonObject {
  const { items, properties, additionalProperties, required, ...rest } = schema
  const fields = isObject(properties) ? Object.entries(properties) : []
  const nullable = fields.filter(([, item]) => isObject(item) && item['nullable'] === true).map(([name]) => name)
  const needed = list(schema, 'required').filter((name) => !nullable.includes(String(name)))
  return {
    ...rest,
    ...(isObject(items) ? { items: schemaOf(items) } : {}),
    ...(isObject(properties)
      ? { properties: Object.fromEntries(fields.map(([name, item]) => [name, inner(item)])) }
      : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inner(additionalProperties) }),
    ...(needed.length === 0 ? {} : { required: needed }),
  }
}

function inner(value: unknown): unknown {
  return isObject(value) ? schemaOf(value) : value
}
