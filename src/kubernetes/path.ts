// Where objects stand in the API: `/api/v1/…` for the core group, `/apis/GROUP/VERSION/…` for all others.
import type { ObjectName, Resource } from './types.ts'

/** The path of all objects of a kind, in one namespace or (namespace undefined) in all. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const group = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${group}${scope}/${resource.plural}`
}

/** The path of one object, or of a sub-resource of it. */
export function objectPath(resource: Resource, at: ObjectName, subresource?: string): string {
  const path = `${collectionPath(resource, at.namespace)}/${encodeURIComponent(at.name)}`
  return subresource ? `${path}/${subresource}` : path
}
