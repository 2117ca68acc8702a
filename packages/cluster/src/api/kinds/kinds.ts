// The table of kinds that the API server serves. Custom resources are added while the cluster runs.
import type { ResourceKey, StoredObject } from '../../store/object.ts'
import { allVerbs, apiVersionOf, type Kind, type Kinds, type Subresource } from '../kind.ts'
import { field } from '../values/json.ts'
import { storedKinds } from './stored-kinds.ts'

/** Creates the table with the built-in kinds. */
export function createKinds(): Kinds {
  const kinds = new Map<ResourceKey, Kind>(builtIn.map((kind) => [kind.resource, kind]))
  let byName = namesOf(kinds)
  return {
    get: (resource) => kinds.get(resource),
    ofType: (apiVersion, name) =>
      byName.get(name)?.find((kind) => kind.versions.some((one) => apiVersionOf(kind, one.name) === apiVersion)),
    all: () => [...kinds.values()],
    add: (kind) => {
      kinds.set(kind.resource, kind)
      byName = namesOf(kinds)
    },
    remove: (resource) => {
      kinds.delete(resource)
      byName = namesOf(kinds)
    },
  }
}

/** Returns the kinds by their names. Groups may have kinds of one name. */
function namesOf(kinds: ReadonlyMap<ResourceKey, Kind>): ReadonlyMap<string, readonly Kind[]> {
  const byName = new Map<string, Kind[]>()
  for (const kind of kinds.values()) {
    const namesakes = byName.get(kind.kind)
    if (namesakes === undefined) byName.set(kind.kind, [kind])
    else namesakes.push(kind)
  }
  return byName
}

const base = {
  group: '',
  versions: [{ name: 'v1', served: true, storage: true }],
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: allVerbs,
  subresources: [],
  selectable: {},
  deletion: 'Background',
  unconditionalUpdate: true,
  createOnUpdate: false,
  custom: false,
} as const satisfies Partial<Kind>

function named(
  plural: string,
  kind: string,
  group = '',
): Pick<Kind, 'resource' | 'plural' | 'singular' | 'kind' | 'listKind' | 'group'> {
  const resource = group === '' ? plural : `${plural}.${group}`
  return { resource, group, plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` }
}

const builtIn: readonly Kind[] = [
  ...storedKinds.map(
    ({ plural, kind, group, shortNames = [], categories = [], clusterWide, hasStatus, instead }): Kind => {
      const subresources: readonly Subresource[] = hasStatus ? ['status'] : []
      return {
        ...base,
        ...named(plural, kind, group),
        shortNames,
        categories,
        subresources,
        namespaced: !clusterWide,
        instead,
      }
    },
  ),
  {
    ...base,
    ...named('namespaces', 'Namespace'),
    namespaced: false,
    // A namespace can only be deleted by name.
    verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
    shortNames: ['ns'],
    subresources: ['status', 'finalize'],
    selectable: { 'status.phase': at('status', 'phase') },
  },
  {
    ...base,
    ...named('nodes', 'Node'),
    namespaced: false,
    shortNames: ['no'],
    subresources: ['status'],
    selectable: { 'spec.unschedulable': (object) => String(field(object, 'spec', 'unschedulable') ?? false) },
  },
  {
    ...base,
    ...named('pods', 'Pod'),
    shortNames: ['po'],
    categories: ['all'],
    subresources: ['status', 'log', 'exec', 'binding', 'eviction'],
    selectable: {
      'spec.nodeName': at('spec', 'nodeName'),
      'spec.restartPolicy': at('spec', 'restartPolicy'),
      'spec.schedulerName': at('spec', 'schedulerName'),
      'spec.serviceAccountName': at('spec', 'serviceAccountName'),
      'spec.hostNetwork': (object) => String(field(object, 'spec', 'hostNetwork') ?? false),
      'status.phase': at('status', 'phase'),
      'status.podIP': at('status', 'podIP'),
      'status.podIPs': at('status', 'podIP'),
      'status.nominatedNodeName': at('status', 'nominatedNodeName'),
    },
  },
  { ...base, ...named('secrets', 'Secret'), selectable: { type: at('type') } },
  { ...base, ...named('configmaps', 'ConfigMap'), shortNames: ['cm'] },
  { ...base, ...named('resourcequotas', 'ResourceQuota'), shortNames: ['quota'], subresources: ['status'] },
  { ...base, ...named('limitranges', 'LimitRange'), shortNames: ['limits'] },
  {
    ...base,
    ...named('events', 'Event'),
    shortNames: ['ev'],
    createOnUpdate: true,
    selectable: {
      'involvedObject.kind': at('involvedObject', 'kind'),
      'involvedObject.namespace': at('involvedObject', 'namespace'),
      'involvedObject.name': at('involvedObject', 'name'),
      'involvedObject.uid': at('involvedObject', 'uid'),
      'involvedObject.apiVersion': at('involvedObject', 'apiVersion'),
      'involvedObject.resourceVersion': at('involvedObject', 'resourceVersion'),
      'involvedObject.fieldPath': at('involvedObject', 'fieldPath'),
      reason: at('reason'),
      reportingComponent: at('reportingComponent'),
      source: at('source', 'component'),
      type: at('type'),
    },
  },
  { ...base, ...named('serviceaccounts', 'ServiceAccount'), shortNames: ['sa'], subresources: ['token'] },
  {
    ...base,
    ...named('leases', 'Lease', 'coordination.k8s.io'),
    unconditionalUpdate: false,
    createOnUpdate: true,
  },
  {
    ...base,
    ...named('jobs', 'Job', 'batch'),
    categories: ['all'],
    subresources: ['status'],
    // Kubernetes keeps this default for old clients, for Jobs alone.
    deletion: 'Orphan',
    selectable: { 'status.successful': (object) => String(field(object, 'status', 'succeeded') ?? 0) },
  },
  {
    ...base,
    ...named('deployments', 'Deployment', 'apps'),
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: ['status', 'scale'],
  },
  {
    ...base,
    ...named('replicasets', 'ReplicaSet', 'apps'),
    shortNames: ['rs'],
    categories: ['all'],
    subresources: ['status', 'scale'],
  },
  {
    ...base,
    ...named('poddisruptionbudgets', 'PodDisruptionBudget', 'policy'),
    shortNames: ['pdb'],
    subresources: ['status'],
    unconditionalUpdate: false,
  },
  {
    ...base,
    ...named('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', 'admissionregistration.k8s.io'),
    namespaced: false,
    categories: ['api-extensions'],
    unconditionalUpdate: false,
  },
  { ...base, ...named('roles', 'Role', 'rbac.authorization.k8s.io') },
  { ...base, ...named('rolebindings', 'RoleBinding', 'rbac.authorization.k8s.io') },
  { ...base, ...named('clusterroles', 'ClusterRole', 'rbac.authorization.k8s.io'), namespaced: false },
  { ...base, ...named('clusterrolebindings', 'ClusterRoleBinding', 'rbac.authorization.k8s.io'), namespaced: false },
  {
    ...base,
    ...named('customresourcedefinitions', 'CustomResourceDefinition', 'apiextensions.k8s.io'),
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    unconditionalUpdate: false,
  },
  { ...base, ...named('priorityclasses', 'PriorityClass', 'scheduling.k8s.io'), namespaced: false, shortNames: ['pc'] },
  { ...base, ...named('runtimeclasses', 'RuntimeClass', 'node.k8s.io'), namespaced: false },
  {
    ...base,
    ...named('horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'autoscaling'),
    versions: [{ name: 'v2', served: true, storage: true }],
    shortNames: ['hpa'],
    categories: ['all'],
    subresources: ['status'],
  },
  // The server measures these when a client asks, and never stores them.
  {
    ...base,
    ...named('pods', 'PodMetrics', 'metrics.k8s.io'),
    versions: [{ name: 'v1beta1', served: true, storage: true }],
    verbs: ['get', 'list'],
  },
  // The server answers a review and never stores it.
  {
    ...base,
    ...named('selfsubjectaccessreviews', 'SelfSubjectAccessReview', 'authorization.k8s.io'),
    namespaced: false,
    verbs: ['create'],
  },
]

function at(...path: readonly string[]): (object: StoredObject) => string {
  return (object) => String(field(object, ...path) ?? '')
}
