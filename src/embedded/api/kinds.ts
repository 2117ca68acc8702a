// The table of kinds: what the API server knows of each. Custom resources join it while the cluster runs.
import { field } from './json.ts'
import type { ResourceKey, StoredObject } from './object.ts'
import type { Schema } from './structural/schema.ts'

export type PrinterColumn = {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export type KindVersion = {
  readonly name: string
  readonly served: boolean
  /** Objects are kept in the one version that has this. */
  readonly storage: boolean
  /** Custom resources: the structural schema, as it was given (OpenAPI v3) and as it is applied, and the columns of their table. */
  readonly schema?: Readonly<Record<string, unknown>>
  readonly structure?: Schema
  readonly columns?: readonly PrinterColumn[]
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** In Kubernetes' order. */
export const everyVerb: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

export type Subresource = 'status' | 'log' | 'binding' | 'finalize'

export type Kind = {
  readonly resource: ResourceKey
  /** Empty for the core group. */
  readonly group: string
  readonly versions: readonly KindVersion[]
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** What clients may do with it. */
  readonly verbs: readonly Verb[]
  readonly subresources: readonly Subresource[]
  /** Field selectors beside `metadata.name` and `metadata.namespace`, with the value compared. */
  readonly selectable: Readonly<Record<string, (object: StoredObject) => string>>
  /** What becomes of dependents when a DELETE does not say. */
  readonly deletion: 'Background' | 'Orphan'
  /** A PUT without resourceVersion overwrites; otherwise it is refused. */
  readonly unconditionalUpdate: boolean
  /** A PUT to a name that does not exist creates it. */
  readonly createOnUpdate: boolean
  /** Defined by a CustomResourceDefinition. */
  readonly custom: boolean
}

export interface Kinds {
  get(resource: ResourceKey): Kind | undefined
  all(): readonly Kind[]
  add(kind: Kind): void
  remove(resource: ResourceKey): void
}

/** Starts with the built-in kinds. */
export function createKinds(): Kinds {
  const kinds = new Map<ResourceKey, Kind>(builtIn.map((kind) => [kind.resource, kind]))
  return {
    get: (resource) => kinds.get(resource),
    all: () => [...kinds.values()],
    add: (kind) => kinds.set(kind.resource, kind),
    remove: (resource) => kinds.delete(resource),
  }
}

/** The version in which objects of the kind are kept. */
export function storageVersion(kind: Kind): string {
  return (kind.versions.find((version) => version.storage) ?? kind.versions[0])?.name ?? ''
}

/** The structural schema of a custom kind, in that version. */
export function schemaOf(kind: Kind, version: string = storageVersion(kind)): Schema | undefined {
  return kind.versions.find((candidate) => candidate.name === version)?.structure
}

/** `v1`, `coordination.k8s.io/v1`. */
export function apiVersionOf(kind: Kind, version: string = storageVersion(kind)): string {
  return kind.group === '' ? version : `${kind.group}/${version}`
}

/** The object as a client of that version sees it: all versions of a kind share one shape. */
export function atVersion(object: StoredObject, kind: Kind, version: string): StoredObject {
  const apiVersion = apiVersionOf(kind, version)
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}

const base = {
  group: '',
  versions: [{ name: 'v1', served: true, storage: true }],
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: everyVerb,
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
  {
    ...base,
    ...named('namespaces', 'Namespace'),
    namespaced: false,
    // One is deleted alone.
    verbs: everyVerb.filter((verb) => verb !== 'deletecollection'),
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
    subresources: ['status', 'log', 'binding'],
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
  { ...base, ...named('serviceaccounts', 'ServiceAccount'), shortNames: ['sa'] },
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
    // For old clients' sake; the only kind that does.
    deletion: 'Orphan',
    selectable: { 'status.successful': (object) => String(field(object, 'status', 'succeeded') ?? 0) },
  },
  // Stored, and nothing else: no controller acts on these here.
  {
    ...base,
    ...named('cronjobs', 'CronJob', 'batch'),
    shortNames: ['cj'],
    categories: ['all'],
    subresources: ['status'],
  },
  {
    ...base,
    ...named('deployments', 'Deployment', 'apps'),
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: ['status'],
  },
  {
    ...base,
    ...named('daemonsets', 'DaemonSet', 'apps'),
    shortNames: ['ds'],
    categories: ['all'],
    subresources: ['status'],
  },
  {
    ...base,
    ...named('statefulsets', 'StatefulSet', 'apps'),
    shortNames: ['sts'],
    categories: ['all'],
    subresources: ['status'],
  },
  {
    ...base,
    ...named('replicasets', 'ReplicaSet', 'apps'),
    shortNames: ['rs'],
    categories: ['all'],
    subresources: ['status'],
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
  // A question that is answered and never kept.
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
