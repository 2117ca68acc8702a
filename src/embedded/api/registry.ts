// The verbs on objects: what the wire, the controllers and the kubelet of the embedded cluster all call. Synchronous: a write is committed,
// and every subscriber told, before it returns. Rules (validation, defaults, graceful deletion, finalizers, generation) live behind it.
import type { Kinds } from './kinds.ts'
import type { ResourceKey, StoredObject } from './object.ts'

export type Preconditions = { readonly uid?: string; readonly resourceVersion?: string }

export type StoreEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: StoredObject
  /** The object before the change, for selectors: undefined for ADDED. */
  readonly before: StoredObject | undefined
  /** The revision of the change, the one counter of the whole store. */
  readonly revision: number
}

export type RegistryWrite = {
  readonly dryRun?: boolean
  /** `status` changes only status; `finalize` (namespaces) also `spec.finalizers`. */
  readonly subresource?: 'status' | 'finalize' | undefined
  /** What becomes of fields that the kind does not have: refused, dropped with a warning (unless given), dropped. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined
  /** Gets the text of each Warning header. */
  readonly warn?: ((warning: string) => void) | undefined
}

export type DeleteOptions = {
  /** Seconds; the object's own unless given. */
  readonly gracePeriodSeconds?: number | undefined
  readonly preconditions?: Preconditions | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
  readonly dryRun?: boolean
}

/** Text forms, as in a URL's query. */
export type Selectors = { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined }

export type PageOptions = Selectors & {
  readonly namespace?: string | undefined
  /** The most objects of one page; 0 or absent: all. */
  readonly limit?: number | undefined
  /** The token that the page before gave. */
  readonly continue?: string | undefined
  /** The list exactly as it stood at this revision. */
  readonly exactly?: number | undefined
}

export type Page = {
  readonly items: readonly StoredObject[]
  /** The revision at which the whole list stood so. */
  readonly revision: number
  readonly continue: string | undefined
  /** How many follow; unknown where a selector filters. */
  readonly remaining: number | undefined
}

export type Patch = { readonly type: 'json' | 'merge' | 'strategic'; readonly body: unknown }

/** `namespace` is absent for cluster-wide kinds. */
export type ObjectName = { readonly namespace?: string | undefined; readonly name: string }

/** Every method that refuses throws an `ApiError` (errors.ts), whose `status` is the Kubernetes Status object to answer with. */
export interface Registry {
  /** The kinds served now: the built-in ones and those of CustomResourceDefinitions. */
  readonly kinds: Kinds
  get(resource: ResourceKey, namespace: string | undefined, name: string): StoredObject | undefined
  /** In order of namespace and name. `namespace` undefined: all. */
  list(resource: ResourceKey, namespace?: string): readonly StoredObject[]
  /** Objects with an ownerReference to this uid, of every kind. */
  dependents(uid: string): readonly StoredObject[]
  create(resource: ResourceKey, object: object, options?: RegistryWrite): StoredObject
  /** A full replacement; with `metadata.resourceVersion` it conflicts when somebody wrote in between. `subresource: 'status'` changes only status. */
  update(resource: ResourceKey, object: object, options?: RegistryWrite): StoredObject
  /** `undefined` grace: the object's own. Returns the object as it stands, and whether it is gone. */
  delete(
    resource: ResourceKey,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
  ): { readonly object: StoredObject; readonly gone: boolean }
  /** Applies the patch to the object as it stands; its outcome obeys the rules of `update`. */
  patch(resource: ResourceKey, at: ObjectName, change: Patch, options?: RegistryWrite): StoredObject
  /** Deletes what is selected, one by one. Returns those objects as they stand. */
  deleteCollection(
    resource: ResourceKey,
    namespace: string | undefined,
    selectors: Selectors,
    options?: DeleteOptions,
  ): readonly StoredObject[]
  /** One page of a consistent list. */
  page(resource: ResourceKey, options?: PageOptions): Page
  /** Sets `spec.nodeName` and the PodScheduled condition, as the binding sub-resource does. */
  bind(namespace: string, pod: string, node: string): void
  /** Called for each committed change of the kind, in order, right after the commit. Returns how to stop. */
  subscribe(resource: ResourceKey, listener: (event: StoreEvent) => void): () => void
  /** As subscribe, from a past revision on: the events since are delivered first. `expired`: too old (410). */
  watchFrom(
    resource: ResourceKey,
    revision: number,
    listener: (event: StoreEvent) => void,
  ): { readonly is: 'watching'; stop(): void } | { readonly is: 'expired' }
  /** The last committed revision. */
  revision(): number
}
