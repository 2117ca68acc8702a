// A DaemonSet as its controller reads it. The API server has validated stored objects.
import type { JsonObject } from '../../api/json.ts'
import type { StoredObject } from '../../store/object.ts'

/** A stored DaemonSet. Its defaults are filled in, so these members always exist. */
export type DaemonSet = StoredObject & {
  readonly spec: {
    readonly template: JsonObject
    readonly minReadySeconds?: number
    readonly updateStrategy: {
      readonly type: 'RollingUpdate' | 'OnDelete'
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string; readonly maxSurge?: number | string }
    }
  }
}

export function asDaemonSet(object: StoredObject): DaemonSet {
  return object as DaemonSet
}

/** The label of pods and revisions that holds the hash of their template. */
export const hashLabel = 'controller-revision-hash'
