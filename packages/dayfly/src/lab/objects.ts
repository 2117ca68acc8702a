// The kinds that the incidents use, and what they ask about objects.
import { fieldsAt, listAt, textAt } from '@dayfly/kit/read-json'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { KubeObject, ObjectName, Resource } from '@dayfly/kubernetes/types'
import type { World } from './world.ts'

const core = { group: '', version: 'v1', namespaced: true }
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true }

export const jobs: Resource = { ...core, group: 'batch', plural: 'jobs', kind: 'Job' }
export const namespaces: Resource = { ...core, plural: 'namespaces', kind: 'Namespace', namespaced: false }
export const quotas: Resource = { ...core, plural: 'resourcequotas', kind: 'ResourceQuota' }
export const accounts: Resource = { ...core, plural: 'serviceaccounts', kind: 'ServiceAccount' }
export const roles: Resource = { ...rbac, plural: 'roles', kind: 'Role' }
export const roleBindings: Resource = { ...rbac, plural: 'rolebindings', kind: 'RoleBinding' }
const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

/** Creates an object of the kind. */
export async function create(
  { kubernetes }: World,
  resource: Resource,
  object: { readonly metadata: KubeObject['metadata']; readonly [field: string]: unknown },
): Promise<KubeObject> {
  const { group, version, kind } = resource
  const apiVersion = group === '' ? version : `${group}/${version}`
  return (await kubernetes.create(resource, { apiVersion, kind, ...object })).object
}

/** Returns the object, or undefined if it does not exist. */
export async function find({ kubernetes }: World, resource: Resource, at: ObjectName): Promise<KubeObject | undefined> {
  return kubernetes.get(resource, at).catch((error: unknown) => {
    if (error instanceof KubernetesError && error.kind === 'not-found') return undefined
    throw error
  })
}

export async function listIn(
  { kubernetes }: World,
  resource: Resource,
  namespace?: string,
): Promise<readonly KubeObject[]> {
  return (await kubernetes.list(resource, { namespace })).items
}

/** Creates the namespace, and waits until it takes pods. */
export async function makeNamespace(world: World, name: string): Promise<void> {
  await create(world, namespaces, { metadata: { name } })
  await world.pass(1_000, async () => (await find(world, accounts, { namespace: name, name: 'default' })) !== undefined)
}

/** Defines a kind, and waits until the API server serves it. */
export async function defineKind(world: World, resource: Resource, definition: object): Promise<void> {
  const name = `${resource.plural}.${resource.group}`
  await create(world, definitions, { ...definition, metadata: { name } })
  await world.pass(1_000, async () => (await listIn(world, resource)).length === 0)
}

/** Whether a container of this name has the state in one of the pods. */
export function hasState(
  pods: readonly KubeObject[],
  container: string,
  state: 'running' | 'terminated' | 'waiting',
): boolean {
  return pods
    .flatMap((pod) => [
      ...listAt(pod, 'status', 'containerStatuses'),
      ...listAt(pod, 'status', 'initContainerStatuses'),
    ])
    .some((status) => textAt(status, 'name') === container && fieldsAt(status, 'state', state) !== undefined)
}
