// The table of kinds that the API server serves. Custom resources are added while the cluster runs.

import type { ResourceKey, StoredObject } from '../store/object.ts'
import { field } from './json.ts'
import { storedKinds } from './stored-kinds.ts'
import type { RuleTree } from './structural/cel/rule-tree.ts'
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
  /** Objects are stored in the one version that has this set. */
  readonly storage: boolean
  /** Custom resources only: the structural schema as given (OpenAPI v3) and as applied, and the table's columns. */
  readonly schema?: Readonly<Record<string, unknown>>
  readonly structure?: Schema
  /** The rules of the schema that apply to whole objects, compiled. */
  readonly rules?: RuleTree | undefined
  readonly columns?: readonly PrinterColumn[]
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** The verbs in Kubernetes' order. */
export const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

export type Subresource = 'status' | 'log' | 'binding' | 'finalize' | 'token' | 'scale'

export type Kind = {
  readonly resource: ResourceKey
  /** The API group; empty for the core group. */
  readonly group: string
  readonly versions: readonly KindVersion[]
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** The verbs that clients may use. */
  readonly verbs: readonly Verb[]
  readonly subresources: readonly Subresource[]
  /**
   * The field selectors besides `metadata.name` and `metadata.namespace`, with a function that reads the compared
   * value.
   */
  readonly selectable: Readonly<Record<string, (object: StoredObject) => string>>
  /** The propagation policy of a DELETE that does not name one. */
  readonly deletion: 'Background' | 'Orphan'
  /** A PUT without resourceVersion overwrites the object. If false, the server refuses it. */
  readonly unconditionalUpdate: boolean
  /** A PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean
  /** A CustomResourceDefinition defines the kind. */
  readonly custom: boolean
}

export interface Kinds {
  get(resource: ResourceKey): Kind | undefined
  all(): readonly Kind[]
  add(kind: Kind): void
  remove(resource: ResourceKey): void
}

/** Creates the table with the built-in kinds. */
export function createKinds(): Kinds {
  const kinds = new Map<ResourceKey, Kind>(builtIn.map((kind) => [kind.resource, kind]))
  return {
    get: (resource) => kinds.get(resource),
    all: () => [...kinds.values()],
    add: (kind) => kinds.set(kind.resource, kind),
    remove: (resource) => kinds.delete(resource),
  }
}

/** Returns the version in which objects of the kind are stored. */
export function storageVersion(kind: Kind): string {
  return (kind.versions.find((version) => version.storage) ?? kind.versions[0])?.name ?? ''
}

/** Returns the structural schema of a custom kind in a version. */
export function schemaOf(kind: Kind, version: string = storageVersion(kind)): Schema | undefined {
  return kind.versions.find((candidate) => candidate.name === version)?.structure
}

/** Returns the compiled rules of a custom kind's stored version. */
export function ruleTreeOf(kind: Kind): RuleTree | undefined {
  return kind.versions.find((candidate) => candidate.storage)?.rules
}

/** Returns `v1` or `coordination.k8s.io/v1`. */
export function apiVersionOf(kind: Kind, version: string = storageVersion(kind)): string {
  return kind.group === '' ? version : `${kind.group}/${version}`
}

/** Returns the object as clients of a version see it. All versions of a kind have the same shape. */
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
  ...storedKinds.map(({ plural, kind, group, shortNames = [], categories = [], clusterWide, hasStatus }): Kind => {
    const subresources: readonly Subresource[] = hasStatus ? ['status'] : []
    return { ...base, ...named(plural, kind, group), shortNames, categories, subresources, namespaced: !clusterWide }
  }),
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
  // The API server stores these kinds. No controller acts on them.
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
    subresources: ['status', 'scale'],
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
  // The server answers reviews and never stores them.
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
