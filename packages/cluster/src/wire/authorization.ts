// Authorization by the stored Roles and bindings (RBAC).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/plugin/pkg/auth/authorizer/rbac/rbac.go
import { ApiError, forbidden } from '../api/errors.ts'
import type { Registry } from '../api/registry.ts'
import { field, isObject, type JsonObject, list, text } from '../api/values/json.ts'
import type { StoredObject } from '../store/object.ts'
import { type Identity, masters } from './authentication.ts'
import type { Attributes } from './route.ts'

/**
 * `reason` names the binding that allowed the request, in Kubernetes' words. It is empty for a refusal and for
 * masters.
 */
type Verdict = { readonly allowed: boolean; readonly reason: string }

export function authorize(registry: Registry, who: Identity, what: Attributes): Verdict {
  if (who.groups.includes(masters)) return { allowed: true, reason: '' }
  if (allUsers.some((rule) => matches(rule, what))) return { allowed: true, reason: 'RBAC: allowed for all users' }
  const namespace = what.is === 'resource' ? what.namespace : ''
  const bindings = [
    ...registry.list('clusterrolebindings.rbac.authorization.k8s.io'),
    ...(namespace === '' ? [] : registry.list('rolebindings.rbac.authorization.k8s.io', namespace)),
  ]
  for (const binding of bindings) {
    const subject = list(binding, 'subjects').find((one) => isSubject(one, who, binding.metadata.namespace ?? ''))
    if (subject === undefined || !rulesOf(registry, binding).some((rule) => matches(rule, what))) continue
    return { allowed: true, reason: `RBAC: allowed by ${describe(binding, subject)}` }
  }
  return { allowed: false, reason: '' }
}

/** Returns the 403 with Kubernetes' message. */
export function refusalOf(who: Identity, what: Attributes): ApiError {
  const user = `User ${JSON.stringify(who.name)} cannot ${what.verb}`
  if (what.is === 'path') {
    return new ApiError(403, 'Forbidden', `forbidden: ${user} path ${JSON.stringify(what.path)}`, {})
  }
  const { group, resource, name, namespace } = what
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  const why = `${user} resource "${combined(what)}" in API group ${JSON.stringify(group)} ${scope}`
  return forbidden({ group, plural: resource, kind: '' }, name, why)
}

const paths = ['/api', '/apis', '/healthz', '/livez', '/openapi', '/readyz', '/version']

/** The rules of Kubernetes' `system:discovery` and `system:basic-user`, which apply to all users. */
const allUsers: readonly JsonObject[] = [
  { nonResourceURLs: paths.flatMap((path) => [path, `${path}/*`]), verbs: ['get'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'], verbs: ['create'] },
]

function matches(rule: unknown, what: Attributes): boolean {
  const allows = (name: string, value: string) => list(rule, name).some((item) => item === '*' || item === value)
  if (!allows('verbs', what.verb)) return false
  if (what.is === 'path') return list(rule, 'nonResourceURLs').some((pattern) => covers(pattern, what.path))
  const names = list(rule, 'resourceNames')
  const { group, name, subresource } = what
  const isNamed = names.length === 0 || names.includes(name)
  const isOfAll = subresource !== '' && list(rule, 'resources').includes(`*/${subresource}`)
  return allows('apiGroups', group) && (allows('resources', combined(what)) || isOfAll) && isNamed
}

function covers(pattern: unknown, path: string): boolean {
  if (typeof pattern !== 'string') return false
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
}

function combined({ resource, subresource }: Extract<Attributes, { is: 'resource' }>): string {
  return subresource === '' ? resource : `${resource}/${subresource}`
}

function isSubject(subject: unknown, { name, groups }: Identity, namespace: string): boolean {
  const named = text(subject, 'name')
  switch (text(subject, 'kind')) {
    case 'User':
      return named === name
    case 'Group':
      return groups.includes(named)
    case 'ServiceAccount':
      return name === `system:serviceaccount:${text(subject, 'namespace') || namespace}:${named}`
    default:
      return false
  }
}

/** Returns the rules of the binding's role, or an empty list if the role does not exist. */
function rulesOf(registry: Registry, binding: StoredObject): readonly unknown[] {
  const resource = text(binding, 'roleRef', 'kind') === 'ClusterRole' ? 'clusterroles' : 'roles'
  const name = text(binding, 'roleRef', 'name')
  return list(registry.get(`${resource}.rbac.authorization.k8s.io`, binding.metadata.namespace, name), 'rules')
}

function describe({ kind, metadata, ...binding }: StoredObject, subject: unknown): string {
  const at = (name: string, namespace = '') => JSON.stringify(namespace === '' ? name : `${name}/${namespace}`)
  const role = `${text(binding, 'roleRef', 'kind')} ${at(text(binding, 'roleRef', 'name'))}`
  const isAccount = isObject(subject) && subject['kind'] === 'ServiceAccount'
  const home = isAccount ? text(subject, 'namespace') || metadata.namespace : ''
  const who = `${field(subject, 'kind')} ${at(text(subject, 'name'), home)}`
  return `${kind} ${at(metadata.name, metadata.namespace)} of ${role} to ${who}`
}
