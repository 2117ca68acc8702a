// What a request is about: a resource of a known kind, or another path. Kubernetes: apiserver `RequestInfo`.
import type { Method, Request } from '../../lib/http.ts'
import { ApiError, badRequest } from '../api/errors.ts'
import type { Kind, Kinds, Verb } from '../api/kinds.ts'

export type ResourceRoute = {
  readonly verb: Verb
  readonly kind: Kind
  readonly version: string
  /** undefined: all namespaces, or a kind that has none. */
  readonly namespace: string | undefined
  /** Empty: the whole collection. */
  readonly name: string
  /** Empty: the object itself. */
  readonly subresource: string
}

/** What is asked, as far as permissions go: also of resources that are not served. Empty texts: not said. */
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

/** undefined: the path is no resource that is served here. Throws 405 where the resource exists but not with this method. */
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
  // A namespace stands in itself: a Role there may allow it.
  const namespace = plural === 'namespaces' ? name : (place.namespace ?? '')
  return { is: 'resource', verb, group: core ? '' : (parts[1] ?? ''), resource: plural, subresource, namespace, name }
}

/** 405: the path is there, but not for this method. */
export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource'
  return new ApiError(405, 'MethodNotAllowed', message, {})
}

/** `pods`, `pods/status`, `leases.coordination.k8s.io`: as logs and counters name it. */
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
    throw badRequest(`the path ${path} is not well encoded`)
  }
}

/** A namespace's own sub-resources look like kinds inside it. */
function placeOf(parts: readonly string[]): Place | undefined {
  const namespaced = parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'status' && parts[2] !== 'finalize'
  const [plural, name = '', subresource = '', ...more] = namespaced ? parts.slice(2) : parts
  if (plural === undefined || plural === '' || more.length > 0) return undefined
  return { namespace: namespaced ? parts[1] : undefined, plural, name, subresource }
}

function verbOf(method: Method, query: Request['query'], place: Place): Verb | undefined {
  const one = place.name !== ''
  switch (method) {
    case 'GET':
      if (one) return 'get'
      return isTrue(query['watch']) ? 'watch' : 'list'
    case 'POST':
      return !one || place.subresource === 'binding' ? 'create' : undefined
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

/** A flag in a query, as Kubernetes reads it: there and neither `false` nor `0`. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== 'false' && value !== '0'
}
