// The verbs on objects. The wire, the controllers and the kubelet of the embedded cluster call them. All verbs are
// synchronous: a write is committed, and all subscribers have been called, before it returns. The rules are behind it:
// validation, defaults, graceful deletion, finalizers and generation.
import type { StoreEvent } from '../store/event-ring.ts'
import type { ResourceKey, StoredObject } from '../store/object.ts'
import type { Kinds } from './kind.ts'

export type Preconditions = { readonly uid?: string; readonly resourceVersion?: string }

/** A client that writes: its name, and the version of the kind that it uses. */
export type Client = { readonly name: string; readonly version: string }

/** The fields that a client wants to own. `force` takes them from other clients. */
export type Applied = { readonly config: unknown; readonly client: Client; readonly force: boolean }

/** A field that a client has sent twice in one object, in Kubernetes' words. The path is empty if the words name several fields. */
export type Duplicate = { readonly path: string; readonly problem: string }

export type RegistryWrite = {
  readonly dryRun?: boolean
  /** `status` changes only the status. `finalize` (namespaces) also changes `spec.finalizers`. */
  readonly subresource?: 'status' | 'finalize' | undefined
  /**
   * How to treat fields that the kind does not have: refuse them, drop them with a warning (the default), or drop
   * them.
   */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined
  /** The fields that the client has sent twice. They are reported like unknown fields. */
  readonly duplicates?: readonly Duplicate[]
  /** The client that writes. Its fields are recorded in `metadata.managedFields`. Parts of the cluster itself give none. */
  readonly client?: Client | undefined
  /** Receives the text of each Warning header. */
  readonly warn?: ((warning: string) => void) | undefined
}

export type DeleteOptions = {
  /** In seconds. The default is the object's own grace period. */
  readonly gracePeriodSeconds?: number | undefined
  readonly preconditions?: Preconditions | undefined
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
  readonly dryRun?: boolean
}

/** Selectors in text form, as in a URL's query. */
export type Selectors = { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined }

export type PageOptions = Selectors & {
  readonly namespace?: string | undefined
  /** The maximum number of objects on a page. 0 or undefined returns all. */
  readonly limit?: number | undefined
  /** The continue token of the previous page. */
  readonly continue?: string | undefined
  /** The exact revision of the list to return. */
  readonly exactly?: number | undefined
}

export type Page = {
  readonly items: readonly StoredObject[]
  /** The revision of the list. */
  readonly revision: number
  readonly continue: string | undefined
  /** The number of objects after this page. Undefined if a selector filters. */
  readonly remaining: number | undefined
}

export type Patch = { readonly type: 'json' | 'merge' | 'strategic'; readonly body: unknown }

/** `namespace` is undefined for cluster-wide kinds. */
export type ObjectName = { readonly namespace?: string | undefined; readonly name: string }

/**
 * The verbs. A method that refuses throws an `ApiError` (errors.ts); its `status` is the Status object of the
 * response.
 */
export interface Registry {
  /** The kinds that are served now: built-in kinds and those of CustomResourceDefinitions. */
  readonly kinds: Kinds
  get(resource: ResourceKey, namespace: string | undefined, name: string): StoredObject | undefined
  /** Returns the objects ordered by namespace and name. Without a `namespace`, returns those of all namespaces. */
  list(resource: ResourceKey, namespace?: string): readonly StoredObject[]
  /** Returns the objects of every kind that have an ownerReference to this UID. */
  dependents(uid: string): readonly StoredObject[]
  create(resource: ResourceKey, object: object, options?: RegistryWrite): StoredObject
  /**
   * Replaces an object. With `metadata.resourceVersion`, throws a 409 if another client changed the object in between.
   * `subresource: 'status'` changes only the status.
   */
  update(resource: ResourceKey, object: object, options?: RegistryWrite): StoredObject
  /**
   * Deletes an object. Without a grace period, the object's own applies. Returns the object, and whether it is gone.
   */
  delete(
    resource: ResourceKey,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
  ): { readonly object: StoredObject; readonly gone: boolean }
  /** Applies a patch to the current object. The rules of `update` apply to the result. */
  patch(resource: ResourceKey, at: ObjectName, change: Patch, options?: RegistryWrite): StoredObject
  /** Server-side apply: merges a configuration into the object, or creates it. */
  apply(
    resource: ResourceKey,
    at: ObjectName,
    applied: Applied,
    options?: RegistryWrite,
  ): { readonly object: StoredObject; readonly isNew: boolean }
  /** Deletes the selected objects one by one. Returns each as its deletion leaves it. */
  deleteCollection(
    resource: ResourceKey,
    namespace: string | undefined,
    selectors: Selectors,
    options?: DeleteOptions,
  ): readonly StoredObject[]
  /** Returns one page of a consistent list. */
  page(resource: ResourceKey, options?: PageOptions): Page
  /** Sets `spec.nodeName` and the PodScheduled condition, like the binding subresource. */
  bind(namespace: string, pod: string, node: string): void
  /**
   * Calls the listener for each committed change of the kind, in order, right after the commit. Returns a function
   * that stops it.
   */
  subscribe(resource: ResourceKey, listener: (event: StoreEvent) => void): () => void
  /**
   * Like `subscribe`, from a past revision: delivers the changes since then first. `expired`: the revision is too old
   * (410).
   */
  watchFrom(
    resource: ResourceKey,
    revision: number,
    listener: (event: StoreEvent) => void,
  ): { readonly is: 'watching'; stop(): void } | { readonly is: 'expired' }
  /** Delivers each object that the store began with as ADDED, for the parts that subscribed since. */
  replay(): void
  /** Returns the last committed revision. */
  revision(): number
}
