// The kinds that the doctor reads from a cluster, and the part of each that it needs.
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { apiGroup, apiVersion } from '@dayfly/runner-set/model/api'
import type { ObjectFact } from '../facts.ts'
import type { ObjectRef } from '../finding.ts'

/** `metadata`: names, owners and finalizers are enough. For Secrets, the API server sends nothing else. */
export type LiveKind = {
  readonly resource: Resource
  readonly read: 'whole' | 'metadata'
  readonly fieldSelector?: string
  /** Read in any served version. Only rules use such a kind; no repair relies on its absence. */
  readonly anyVersion?: true
  /** Read only if the credential may list it. The least role leaves it out. */
  readonly ifAllowed?: true
}

const arc = { group: 'actions.github.com', version: 'v1alpha1', namespaced: true }
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true }
const core = { group: '', version: 'v1', namespaced: true }

export const pods: Resource = { ...core, plural: 'pods', kind: 'Pod' }
export const jobs: Resource = { ...core, group: 'batch', plural: 'jobs', kind: 'Job' }
export const nodes: Resource = { ...core, plural: 'nodes', kind: 'Node', namespaced: false }
export const events: Resource = { ...core, plural: 'events', kind: 'Event' }
export const deployments: Resource = { ...core, group: 'apps', plural: 'deployments', kind: 'Deployment' }
const cronJobs: Resource = { ...jobs, plural: 'cronjobs', kind: 'CronJob' }
const daemonSets: Resource = { ...deployments, plural: 'daemonsets', kind: 'DaemonSet' }
const statefulSets: Resource = { ...deployments, plural: 'statefulsets', kind: 'StatefulSet' }
const budgets: Resource = { ...core, group: 'policy', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget' }
const webhooks: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
}
export const leases: Resource = { ...core, group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease' }
const karpenter = { group: 'karpenter.sh', version: 'v1', namespaced: false }
const nodePools: Resource = { ...karpenter, plural: 'nodepools', kind: 'NodePool' }
const nodeClaims: Resource = { ...karpenter, plural: 'nodeclaims', kind: 'NodeClaim' }
const runnerSets: Resource = {
  group: apiGroup,
  version: apiVersion,
  plural: 'runnersets',
  kind: 'RunnerSet',
  namespaced: true,
}
export const ephemeralRunners: Resource = { ...arc, plural: 'ephemeralrunners', kind: 'EphemeralRunner' }
export const ephemeralRunnerSets: Resource = { ...arc, plural: 'ephemeralrunnersets', kind: 'EphemeralRunnerSet' }
export const scaleSets: Resource = { ...arc, plural: 'autoscalingrunnersets', kind: 'AutoscalingRunnerSet' }
export const listeners: Resource = { ...arc, plural: 'autoscalinglisteners', kind: 'AutoscalingListener' }
const roleBindings: Resource = { ...rbac, plural: 'rolebindings', kind: 'RoleBinding' }
const roles: Resource = { ...rbac, plural: 'roles', kind: 'Role' }
const serviceAccounts: Resource = { ...core, plural: 'serviceaccounts', kind: 'ServiceAccount' }
export const secrets: Resource = { ...core, plural: 'secrets', kind: 'Secret' }

/** The resources that ARC's chart protects, in the order in which their finalizers are removed. */
export const protectedResources: readonly Resource[] = [roleBindings, roles, serviceAccounts, secrets]

/** In reading order. Owned objects come before their owners, so that a new owner is not taken for a missing one. */
export const liveKinds: readonly LiveKind[] = [
  { resource: pods, read: 'whole' },
  { resource: jobs, read: 'whole' },
  { resource: ephemeralRunners, read: 'whole' },
  { resource: ephemeralRunnerSets, read: 'whole' },
  { resource: listeners, read: 'whole' },
  { resource: scaleSets, read: 'whole' },
  { resource: runnerSets, read: 'whole' },
  { resource: deployments, read: 'whole' },
  // Every node has a lease in this namespace; they are not needed.
  { resource: leases, read: 'whole', fieldSelector: 'metadata.namespace!=kube-node-lease' },
  ...[cronJobs, daemonSets, statefulSets, budgets, webhooks].map(
    (resource): LiveKind => ({ resource, read: 'whole', anyVersion: true }),
  ),
  ...[nodePools, nodeClaims].map((resource): LiveKind => ({ resource, read: 'metadata', anyVersion: true })),
  { resource: nodes, read: 'whole' },
  ...protectedResources.map(
    (resource): LiveKind => ({ resource, read: 'metadata', ...(resource === secrets ? { ifAllowed: true } : {}) }),
  ),
]

/** Whether the kind belongs to Kubernetes itself, so that the API server always serves it. */
export function isBuiltIn({ group }: Pick<Resource, 'group'>): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io')
}

/** Returns the resource of an object, in the object's version. Undefined: the doctor does not repair this kind. */
export function resourceOf({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): Resource | undefined {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  return liveKinds.find(({ resource }) => resource.kind === kind && resource.group === group)?.resource
}

/** Turns an object of the API server into a fact. */
export function factOf(resource: Resource, raw: KubeObject): ObjectFact {
  const { group, version, kind } = resource
  const { name, namespace, uid } = raw.metadata
  const apiVersion = group === '' ? version : `${group}/${version}`
  return { object: { apiVersion, kind, namespace, name, uid }, document: undefined, raw }
}
