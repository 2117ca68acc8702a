// The OpenAPI v3 document of one group and version. kubectl reads it to validate, merge and explain.
import type { Profile } from '../../api/api.ts'
import type { Kind } from '../../api/kind.ts'
import { type GroupVersion, rootOf } from '../group-versions.ts'
import { addCustom, addStruct, type Components, reference, type Schema } from './schemas.ts'

export function openApiDocument(group: string, { version, kinds }: GroupVersion, profile: Profile): object {
  const components: Components = new Map()
  const paths: Record<string, object> = {}
  for (const kind of kinds) {
    const groupVersionKind = { group, version, kind: kind.kind }
    const name = kind.custom ? addCustom(kind, version, components) : addStruct(kind.kind, components)
    const schema: Schema = name === undefined ? { type: 'object' } : reference(name)
    if (name !== undefined) mark(components, name, groupVersionKind, kind)
    const prefix = `/${rootOf(group, version)}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`
    const operation = (action: string) => operationOf(action, schema, groupVersionKind)
    paths[prefix] = { get: operation('list'), post: operation('post'), delete: operation('deletecollection') }
    paths[`${prefix}/{name}`] = {
      get: operation('get'),
      put: operation('put'),
      patch: operation('patch'),
      delete: operation('delete'),
    }
  }
  return { openapi: '3.0.0', info: infoOf(profile), paths, components: { schemas: Object.fromEntries(components) } }
}

export function infoOf(profile: Profile): { readonly title: string; readonly version: string } {
  return { title: 'Dayfly embedded cluster', version: `v${profile}.0` }
}

/**
 * Adds the kind to a schema. The table of a built-in kind does not contain apiVersion and kind, so they are added,
 * too.
 */
export function mark(components: Components, name: string, groupVersionKind: object, kind: Kind): void {
  const schema = components.get(name) ?? {}
  const own = schema['properties'] as Schema
  components.set(name, {
    ...schema,
    ...(kind.custom ? {} : { properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, ...own } }),
    'x-kubernetes-group-version-kind': [groupVersionKind],
  })
}

function operationOf(action: string, schema: Schema, groupVersionKind: object): object {
  const writes = action === 'post' || action === 'put' || action === 'patch'
  const parameters = writes ? ['dryRun', 'fieldManager', 'fieldValidation'] : []
  return {
    parameters: parameters.map((name) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } })),
    responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
    ...(writes ? { requestBody: { content: { [bodyType(action)]: { schema } } } } : {}),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind,
  }
}

function bodyType(action: string): string {
  return action === 'patch' ? 'application/merge-patch+json' : '*/*'
}
