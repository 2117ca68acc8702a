// The ClusterRoles for users that every cluster has. Rules of other roles with the same labels join them.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go
import type { JsonObject } from './values/json.ts'

export const clusterRoles = 'clusterroles.rbac.authorization.k8s.io'
export const clusterRoleBindings = 'clusterrolebindings.rbac.authorization.k8s.io'

const reads = ['get', 'list', 'watch']
const writes = ['create', 'delete', 'deletecollection', 'patch', 'update']
const all = [...writes, ...reads].sort()

const admins = [
  rule('authorization.k8s.io', 'localsubjectaccessreviews', ['create']),
  rule('rbac.authorization.k8s.io', 'rolebindings roles', all),
]

const editors = [
  rule('core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', reads),
  rule('core', 'serviceaccounts', ['impersonate']),
  rule('core', 'pods pods/attach pods/exec pods/portforward pods/proxy', writes),
  rule('core', 'pods/eviction', ['create']),
  rule(
    'core',
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    writes,
  ),
  rule('core', 'serviceaccounts/token', ['create']),
  rule('core events.k8s.io', 'events', writes),
  rule(
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    writes,
  ),
  rule('autoscaling', 'horizontalpodautoscalers', writes),
  rule('batch', 'cronjobs jobs', writes),
  rule(
    'extensions',
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    writes,
  ),
  rule('policy', 'poddisruptionbudgets', writes),
  rule('networking.k8s.io', 'ingresses networkpolicies', writes),
  rule('coordination.k8s.io', 'leases', all),
  rule('resource.k8s.io', 'resourceclaims resourceclaimtemplates', writes),
]

const viewers = [
  rule(
    'core',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    reads,
  ),
  rule(
    'core',
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    reads,
  ),
  rule('core', 'namespaces', reads),
  rule('core events.k8s.io', 'events', reads),
  rule('discovery.k8s.io', 'endpointslices', reads),
  rule(
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    reads,
  ),
  rule('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', reads),
  rule('batch', 'cronjobs cronjobs/status jobs jobs/status', reads),
  rule(
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    reads,
  ),
  rule('policy', 'poddisruptionbudgets poddisruptionbudgets/status', reads),
  rule('networking.k8s.io', 'ingresses ingresses/status networkpolicies', reads),
  rule('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', reads),
]

const everything = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]

export const defaultClusterRoles = [
  { metadata: metadataOf('cluster-admin'), rules: everything },
  { metadata: metadataOf('system:aggregate-to-admin', 'admin'), rules: admins },
  { metadata: metadataOf('system:aggregate-to-edit', 'edit'), rules: editors },
  { metadata: metadataOf('system:aggregate-to-view', 'view'), rules: viewers },
  { metadata: metadataOf('admin'), aggregationRule: joining('admin') },
  { metadata: metadataOf('edit', 'admin'), aggregationRule: joining('edit') },
  { metadata: metadataOf('view', 'edit'), aggregationRule: joining('view') },
] as const

export const defaultClusterRoleBindings = [
  {
    metadata: metadataOf('cluster-admin'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:masters' }],
  },
] as const

/** Lists are words. The group of core kinds is written as `core`. */
function rule(groups: string, resources: string, verbs: readonly string[]): JsonObject {
  const apiGroups = groups.split(' ').map((group) => (group === 'core' ? '' : group))
  return { apiGroups, resources: resources.split(' '), verbs }
}

/** @param joins the role that gets the rules of this one */
function metadataOf(name: string, joins?: string) {
  return {
    name,
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      ...(joins === undefined ? {} : { [labelOf(joins)]: 'true' }),
    },
  }
}

function joining(role: string) {
  return { clusterRoleSelectors: [{ matchLabels: { [labelOf(role)]: 'true' } }] }
}

function labelOf(role: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`
}
