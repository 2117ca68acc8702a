// The client's verbs. Every one rejects with a KubernetesError, or with the signal's reason.
import type { KubeObject, ObjectName, Resource } from './types.ts'

export type CallOptions = { readonly signal?: AbortSignal | undefined }
export type WriteOptions = CallOptions & {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  /** `Strict` refuses unknown fields; the server's default only warns. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
}
export type ListOptions = CallOptions & {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Objects a page, 500 unless given. */
  readonly pageSize?: number
  /** Asks for metadata alone, which is all that then leaves the server; one that cannot sends whole objects. */
  readonly metadataOnly?: boolean
  /** What is kept of each object, page by page, so that memory follows what is used; undefined: nothing of it. */
  readonly keep?: (object: KubeObject) => KubeObject | undefined
}
export type Patch =
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'json'; readonly operations: readonly object[] }
export type DeleteOptions = CallOptions & {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  readonly dryRun?: boolean
}
/** What a write stored, with the server's Warning headers. */
export type Written = { readonly object: KubeObject; readonly warnings: readonly string[] }

export interface Kubernetes {
  get(resource: Resource, at: ObjectName, options?: CallOptions): Promise<KubeObject>
  /** All pages of one consistent list, or an error: never half of it. */
  list(
    resource: Resource,
    options?: ListOptions,
  ): Promise<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>
  create(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<Written>
  /** PUT: with `metadata.resourceVersion` it is refused (`conflict`) when somebody else wrote in between. */
  replace(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<Written>
  patch(
    resource: Resource,
    at: ObjectName,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: 'status' },
  ): Promise<Written>
  /** `deleting`: the object stands until its grace or finalizers are over. `absent`: it was gone (404). The options travel in the body. */
  delete(resource: Resource, at: ObjectName, options?: DeleteOptions): Promise<'deleted' | 'deleting' | 'absent'>
}
