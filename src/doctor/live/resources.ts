// The kinds that the doctor reads from a cluster, how much of each it needs, and where they stand in the API.
import type { KubeObject, Resource } from '../../kubernetes/types.ts'
import type { ObjectFact } from '../facts.ts'
import type { ObjectRef } from '../finding.ts'

/** `metadata`: names, owners and finalizers are enough; of Secrets nothing else ever leaves the API server. */
export type LiveKind = {
  readonly resource: Resource
  readonly read: 'whole' | 'metadata'
  readonly fieldSelector?: string
  /** Also in a version that is not ours: only rules read it, and no repair rests on its absence. */
  readonly anyVersion?: true
  /** Listed only by who may: the least role leaves it out, and looking must not be refused for it. */
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
  group: 'dayfly.dev',
  version: 'v1alpha1',
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
const secrets: Resource = { ...core, plural: 'secrets', kind: 'Secret' }

/** What ARC's chart protects, in the order in which it is freed. */
export const protectedResources: readonly Resource[] = [roleBindings, roles, serviceAccounts, secrets]

/** In the order in which they are read: what is owned before its owner, so that an owner that appears in between is not taken for lost. */
export const liveKinds: readonly LiveKind[] = [
  { resource: pods, read: 'whole' },
  { resource: jobs, read: 'whole' },
  { resource: ephemeralRunners, read: 'whole' },
  { resource: ephemeralRunnerSets, read: 'whole' },
  { resource: listeners, read: 'whole' },
  { resource: scaleSets, read: 'whole' },
  { resource: runnerSets, read: 'whole' },
  { resource: deployments, read: 'whole' },
  // Of the leases of nodes there is one each.
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

/** Of Kubernetes itself: always served, by the API server's own code. */
export function isBuiltIn({ group }: Pick<Resource, 'group'>): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io')
}

/** The resource of an object, in the version that the object names. Undefined: not a kind that the doctor mends. */
export function resourceOf({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): Resource | undefined {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  return liveKinds.find(({ resource }) => resource.kind === kind && resource.group === group)?.resource
}

/** An object of the API server as a fact. */
export function factOf(resource: Resource, raw: KubeObject): ObjectFact {
  const { group, version, kind } = resource
  const { name, namespace, uid } = raw.metadata
  const apiVersion = group === '' ? version : `${group}/${version}`
  return { object: { apiVersion, kind, namespace, name, uid }, document: undefined, raw }
}
