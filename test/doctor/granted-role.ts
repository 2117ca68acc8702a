// Grants the roles that `dayfly doctor rbac` prints to a ServiceAccount, and compares them with the requests of that account.
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { parseAllDocuments } from 'yaml'
import { accessOf, type Exchange } from './recording-proxy.ts'

type Role = KubeObject & {
  readonly kind: 'Role' | 'ClusterRole'
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' }
const kinds: Readonly<Record<string, Resource>> = {
  Role: { ...rbac, plural: 'roles', kind: 'Role', namespaced: true },
  ClusterRole: { ...rbac, plural: 'clusterroles', kind: 'ClusterRole', namespaced: false },
  RoleBinding: { ...rbac, plural: 'rolebindings', kind: 'RoleBinding', namespaced: true },
  ClusterRoleBinding: { ...rbac, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
}

export type Grant = {
  /** The granted permissions, for example `list jobs.batch`. */
  readonly granted: readonly string[]
  remove(): Promise<void>
}

/** Creates the roles of this YAML and binds each to the account. */
export async function grantRoles(
  kubernetes: Kubernetes,
  yaml: string,
  account: { readonly name: string; readonly namespace: string },
): Promise<Grant> {
  const made: KubeObject[] = []
  const roles = parseAllDocuments(yaml).map((document) => document.toJS() as Role)
  const create = async (object: KubeObject) => {
    await kubernetes.create(kinds[object.kind] as Resource, object, { fieldValidation: 'Strict' })
    made.push(object)
  }
  for (const role of roles) {
    const { apiVersion, kind, metadata } = role
    await create(role)
    await create({
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: rbac.group, kind, name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    })
  }
  const granted = roles.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups: [group = ''], resources, verbs }) =>
      resources.flatMap((plural) => verbs.map((verb) => `${verb} ${plural}${group === '' ? '' : `.${group}`}`)),
    ),
  )
  const remove = async () => {
    for (const { kind, metadata } of made) await kubernetes.delete(kinds[kind] as Resource, metadata)
  }
  return { granted: [...new Set(granted)], remove }
}

/** Returns the granted permissions that no request used. */
export function unusedOf({ granted }: Grant, exchanges: readonly Exchange[]): readonly string[] {
  const used = new Set(exchanges.flatMap(accessesOf))
  return granted.filter((access) => !used.has(access))
}

/** Returns the paths of the requests that the API server refused with 401 or 403. */
export function refusedIn(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.filter(({ status }) => status === 401 || status === 403).map(({ request }) => request.path)
}

/** Returns the permissions that a request needs. Discovery and access reviews need none, because every account may use them. */
function accessesOf({ request, purpose }: Exchange): readonly string[] {
  const { verb, resource } = accessOf(request)
  return purpose === 'review' || resource === '' ? [] : [`${verb} ${resource}`]
}
