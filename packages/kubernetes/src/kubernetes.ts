// The interface of the Kubernetes client. Every verb rejects with a KubernetesError or with the signal's reason.
import type { KubeObject, ObjectName, Resource } from './types.ts'

type CallOptions = { readonly signal?: AbortSignal | undefined }
export type GetOptions = CallOptions & {
  /** Asks for metadata alone. A server that does not support this sends the whole object. */
  readonly metadataOnly?: boolean
}
/** The options that every write has. */
type AnyWriteOptions = CallOptions & {
  /** Throws if the write may not be sent any more. It runs right before the write is sent, also before it is repeated. */
  readonly allowed?: () => void
  /** Asks for an answer with metadata alone, which saves time on both sides. A server that does not support this sends the whole object. */
  readonly metadataOnly?: boolean
}
export type WriteOptions = AnyWriteOptions & {
  /** The write goes before others that wait for their turn. */
  readonly first?: boolean
  readonly dryRun?: boolean
  readonly fieldManager?: string
  /** `Strict` makes the server refuse unknown fields. By default, the server only warns. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
}
export type ListOptions = CallOptions & {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** The number of objects in a page. The default is 500. */
  readonly pageSize?: number
  /** Asks the server to send only metadata. A server that does not support this sends whole objects. */
  readonly metadataOnly?: boolean
  /** Reduces each object of a page before the next page is read, which saves memory. Returns undefined to drop the object. */
  readonly keep?: (object: KubeObject) => KubeObject | undefined
}
export type Patch =
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'json'; readonly operations: readonly object[] }
export type DeleteOptions = AnyWriteOptions & {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  readonly dryRun?: boolean
}
/** The object that a write stored, and the server's Warning headers. After `metadataOnly` the object may have nothing but its metadata. */
export type Written = { readonly object: KubeObject; readonly warnings: readonly string[] }

export interface Kubernetes {
  get(resource: Resource, at: ObjectName, options?: GetOptions): Promise<KubeObject>
  /** Resolves with all pages of one consistent list, never with a part of it. */
  list(
    resource: Resource,
    options?: ListOptions,
  ): Promise<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>
  create(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<Written>
  /** Sends a PUT. If the object has a `metadata.resourceVersion` and another client wrote in between, it rejects with `conflict`. */
  replace(resource: Resource, object: KubeObject, options?: WriteOptions): Promise<Written>
  patch(
    resource: Resource,
    at: ObjectName,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: 'status' },
  ): Promise<Written>
  /** Deletes an object. `deleting`: its grace period or finalizers still keep it. `absent`: it did not exist (404). */
  delete(resource: Resource, at: ObjectName, options?: DeleteOptions): Promise<'deleted' | 'deleting' | 'absent'>
}
