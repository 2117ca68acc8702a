// Builds API paths: `/api/v1/…` for the core group, `/apis/GROUP/VERSION/…` for all others.
import type { ObjectName, Resource } from './types.ts'

/** Returns the path of all objects of a kind, in one namespace or, if it is undefined, in all. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const group = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${group}${scope}/${resource.plural}`
}

/** Returns the path of one object or of its subresource. */
export function objectPath(resource: Resource, at: ObjectName, subresource?: string): string {
  const path = `${collectionPath(resource, at.namespace)}/${encodeURIComponent(at.name)}`
  return subresource ? `${path}/${subresource}` : path
}
