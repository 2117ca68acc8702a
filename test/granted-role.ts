// The roles that `dayfly doctor rbac` prints, given to a ServiceAccount exactly as they stand, and held against what was asked for with them.
import { parseAllDocuments } from 'yaml'
import type { Kubernetes } from '../src/kubernetes/kubernetes.ts'
import type { KubeObject, Resource } from '../src/kubernetes/types.ts'
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

/** Creates the roles of this YAML and binds each to the account. What they allow, as `list jobs.batch`. */
export async function grantRoles(
  kubernetes: Kubernetes,
  yaml: string,
  account: { readonly name: string; readonly namespace: string },
): Promise<readonly string[]> {
  const roles = parseAllDocuments(yaml).map((document) => document.toJS() as Role)
  const create = (object: KubeObject) =>
    kubernetes.create(kinds[object.kind] as Resource, object, { fieldValidation: 'Strict' })
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
  return roles.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups: [group = ''], resources, verbs }) =>
      resources.flatMap((plural) => verbs.map((verb) => `${verb} ${plural}${group === '' ? '' : `.${group}`}`)),
    ),
  )
}

/** What a role must allow, of each request; discovery and reviews are everybody's. */
export function accessesOf(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(({ request, purpose }) => {
    const { verb, resource } = accessOf(request)
    return purpose === 'review' || !/^\/(api|apis\/[^/]+)\/[^/]+\//.test(request.path) ? [] : `${verb} ${resource}`
  })
}
