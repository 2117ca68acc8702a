// A StatefulSet and its pods, as its controller reads them. The API server has validated stored objects.
import type { JsonObject } from '../../api/json.ts'
import type { StoredObject } from '../../store/object.ts'

export type ClaimTemplate = { readonly metadata: { readonly name: string }; readonly spec: JsonObject }

/** A stored StatefulSet. Its defaults are filled in, so these members always exist. */
export type StatefulSet = StoredObject & {
  readonly spec: {
    readonly replicas: number
    readonly ordinals?: { readonly start: number }
    readonly serviceName: string
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> }
    readonly podManagementPolicy: 'OrderedReady' | 'Parallel'
    readonly updateStrategy: {
      readonly type: 'RollingUpdate' | 'OnDelete'
      readonly rollingUpdate?: { readonly partition?: number }
    }
    readonly minReadySeconds?: number
    readonly volumeClaimTemplates?: readonly ClaimTemplate[]
    readonly persistentVolumeClaimRetentionPolicy: {
      readonly whenDeleted: 'Retain' | 'Delete'
      readonly whenScaled: 'Retain' | 'Delete'
    }
  }
  readonly status: { readonly currentRevision?: string }
}

export function asStatefulSet(object: StoredObject): StatefulSet {
  return object as StatefulSet
}

/** The ordinals of the wanted pods: from `first`, before `end`. */
export function ordinalsOf({ spec }: StatefulSet): { readonly first: number; readonly end: number } {
  const first = spec.ordinals?.start ?? 0
  return { first, end: first + spec.replicas }
}

/** Returns the ordinal at the end of a pod's name. */
export function ordinalOf(pod: StoredObject): number {
  return Number(/\d+$/.exec(pod.metadata.name)?.[0])
}

/** Returns whether the pod has a name of the set: its own name and an ordinal. */
export function hasNameOf(set: StatefulSet, pod: StoredObject): boolean {
  return pod.metadata.name === podName(set, ordinalOf(pod))
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`
}

export const revisionLabel = 'controller-revision-hash'

export function revisionOf(pod: StoredObject): string | undefined {
  return pod.metadata.labels?.[revisionLabel]
}
