// The pods of a Job, as its controller reads them. The API server has validated stored objects, so their shape is not checked again.
import type { Registry } from '../../api/registry.ts'
import { hasEnded } from '../../api/values/pod-state.ts'
import type { OwnerReference, StoredObject } from '../../store/object.ts'
import { controlledBy, controllerOf } from '../owners.ts'
import { isDeleting } from '../pods.ts'

type ContainerStatus = {
  readonly name: string
  readonly restartCount?: number
  readonly state?: { readonly terminated?: { readonly exitCode: number; readonly finishedAt?: string | null } }
}

export type JobPod = StoredObject & {
  readonly spec: { readonly nodeName?: string }
  readonly status: {
    readonly phase: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly lastTransitionTime?: string
    }[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

/** The finalizer of every pod of a Job, until the pod is counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'

/** The Job that controls this object; undefined if none does. */
export function jobOf(object: StoredObject): OwnerReference | undefined {
  const owner = controllerOf(object, 'Job')
  return owner?.apiVersion === 'batch/v1' ? owner : undefined
}

/** The pods that this Job controls. */
export function podsOf(registry: Registry, job: StoredObject): readonly JobPod[] {
  return controlledBy(registry, job, 'Pod').map(asPod)
}

export function isTracked({ metadata }: StoredObject): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true
}

/** Returns whether the pod has not ended and is being deleted. */
export function isTerminating(pod: JobPod): boolean {
  return !hasEnded(pod) && isDeleting(pod)
}

/** The time at which an ended pod ended, in milliseconds, from the best source available (Kubernetes: getFinishedTime). */
export function endedAt({ metadata, status }: JobPod): number {
  const containers = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])]
  const ends = containers.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''))
  const known = ends.filter((end) => !Number.isNaN(end))
  if (known.length > 0 && known.length === containers.length) return Math.max(...known)
  const unready = status.conditions?.find(({ type, status: state }) => type === 'Ready' && state === 'False')
  if (unready?.lastTransitionTime !== undefined) return Date.parse(unready.lastTransitionTime)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = metadata
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return Date.parse(creationTimestamp)
}

function asPod(object: StoredObject): JobPod {
  return object as JobPod
}
