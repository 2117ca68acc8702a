// Routes a request: to a resource of a known kind, or to another path.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go
import type { Method, Request } from '@dayfly/kit/http'
import { ApiError, badRequest } from '../api/errors.ts'
import type { Kind, Kinds, Verb } from '../api/kind.ts'

export type ResourceRoute = {
  readonly verb: Verb
  readonly kind: Kind
  readonly version: string
  /** Undefined for all namespaces, and for kinds without namespaces. */
  readonly namespace: string | undefined
  /** Empty for the whole collection. */
  readonly name: string
  /** Empty for the object itself. */
  readonly subresource: string
}

/** The action to authorize. The resource need not be served. Empty strings mean "not given". */
export type Attributes =
  | {
      readonly is: 'resource'
      readonly verb: string
      readonly group: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
    }
  | { readonly is: 'path'; readonly verb: string; readonly path: string }

/**
 * Returns undefined if the path is not a served resource. Throws a 405 if the resource exists but does not support the
 * method.
 */
export function routeOf(request: Request, kinds: Kinds): ResourceRoute | undefined {
  const parts = segments(request.path)
  const core = parts[0] === 'api'
  if (!core && parts[0] !== 'apis') return undefined
  const group = core ? '' : (parts[1] ?? '')
  const version = parts[core ? 1 : 2] ?? ''
  const place = placeOf(parts.slice(core ? 2 : 3))
  if (!place) return undefined
  const kind = kinds.get(group === '' ? place.plural : `${place.plural}.${group}`)
  if (!kind?.versions.some((served) => served.name === version && served.served)) return undefined
  const { namespace, name, subresource } = place
  if (!kind.namespaced && namespace !== undefined) return undefined
  if (kind.namespaced && namespace === undefined && name !== '') return undefined
  if (subresource !== '' && !kind.subresources.some((known) => known === subresource)) return undefined
  const verb = verbOf(request.method, request.query, place)
  if (!verb || (verb === 'create' && kind.namespaced && namespace === undefined)) throw methodNotAllowed()
  if (subresource === '' && !kind.verbs.includes(verb)) throw methodNotAllowed()
  return { verb, kind, version, namespace, name, subresource }
}

export function attributesOf({ path, method, query }: Request): Attributes {
  const parts = segments(path)
  const core = parts[0] === 'api'
  const place = core || parts[0] === 'apis' ? placeOf(parts.slice(core ? 2 : 3)) : undefined
  if (!place) return { is: 'path', verb: method.toLowerCase(), path }
  const { plural, subresource, name } = place
  const verb = verbOf(method, query, place) ?? (method === 'POST' ? 'create' : method.toLowerCase())
  // A namespace object belongs to itself: a Role in it may allow the action.
  const namespace = plural === 'namespaces' ? name : (place.namespace ?? '')
  return { is: 'resource', verb, group: core ? '' : (parts[1] ?? ''), resource: plural, subresource, namespace, name }
}

/** 405: the path exists but does not support the method. */
export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource'
  return new ApiError(405, 'MethodNotAllowed', message, {})
}

/** Returns the name for logs and counters: `pods`, `pods/status`, `leases.coordination.k8s.io`. */
export function resourceName(route: ResourceRoute): string {
  return route.subresource === '' ? route.kind.resource : `${route.kind.resource}/${route.subresource}`
}

type Place = Pick<ResourceRoute, 'namespace' | 'name' | 'subresource'> & { readonly plural: string }

function segments(path: string): readonly string[] {
  const parts = path.slice(1).split('/')
  if (parts.at(-1) === '') parts.pop()
  if (!path.includes('%')) return parts
  try {
    return parts.map(decodeURIComponent)
  } catch {
    throw badRequest(`the path ${path} has an invalid percent-encoding`)
  }
}

/** Reads the parts of a path. The subresources of a namespace look like kinds inside it. */
function placeOf(parts: readonly string[]): Place | undefined {
  const namespaced = parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'status' && parts[2] !== 'finalize'
  const [plural, name = '', subresource = '', ...more] = namespaced ? parts.slice(2) : parts
  if (plural === undefined || plural === '' || more.length > 0) return undefined
  return { namespace: namespaced ? parts[1] : undefined, plural, name, subresource }
}

/** The subresources that a client creates. */
const createdSubresources: readonly string[] = ['binding', 'eviction', 'exec', 'token']

function verbOf(method: Method, query: Request['query'], place: Place): Verb | undefined {
  const one = place.name !== ''
  switch (method) {
    case 'GET':
      if (one) return 'get'
      return isTrue(query['watch']) ? 'watch' : 'list'
    case 'POST':
      return !one || createdSubresources.includes(place.subresource) ? 'create' : undefined
    case 'PUT':
      return one ? 'update' : undefined
    case 'PATCH':
      return one ? 'patch' : undefined
    case 'DELETE':
      if (place.subresource !== '') return undefined
      return one ? 'delete' : 'deletecollection'
    default:
      return undefined
  }
}

/** Reads a flag of a query, like Kubernetes: set, and neither `false` nor `0`. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== 'false' && value !== '0'
}
