// Creates and deletes the pods of a Job.
import { ApiError } from '../../api/errors.ts'
import type { Registry } from '../../api/registry.ts'
import type { StoredObject } from '../../store/object.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import type { JobContext, JobTracking } from './job-context.ts'
import type { Job } from './job-object.ts'
import { isReady, isTracked, type JobPod, trackingFinalizer } from './job-pod.ts'

/** The maximum number of pods that one sync creates or deletes. */
const podsMax = 500

/** The delay before a refused creation is tried again. */
const retryMs = 1_000

/** Creates up to `count` pods and stops at the first refusal. Returns how many were created. */
export function createPods(context: JobContext, job: Job, count: number): number {
  const { registry, events } = context
  const wanted = Math.min(count, podsMax)
  if (wanted < count) context.again(0)
  for (let made = 0; made < wanted; made++) {
    try {
      const pod = registry.create('pods', podFrom(job, context.tracking))
      events.record('Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      events.record('Warning', 'FailedCreate', `Error creating: ${error.status.message}`)
      context.again(retryMs)
      return made
    }
  }
  return wanted
}

function podFrom({ metadata, spec }: Job, tracking: JobTracking): object {
  const { uid, name, namespace } = metadata
  const { labels, annotations, finalizers = [] } = spec.template?.metadata ?? {}
  const others = finalizers.filter((finalizer) => finalizer !== trackingFinalizer)
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels,
      annotations,
      finalizers: tracking === 'finalizers' ? [...others, trackingFinalizer] : others,
      ownerReferences: [owner],
    },
    spec: spec.template?.spec,
  }
}

/** The pods to delete first: pods without a node, then pods that are not ready. */
export function firstToGo(pods: readonly JobPod[], count: number): readonly JobPod[] {
  const rank = (pod: JobPod) => (pod.spec.nodeName === undefined ? 0 : isReady(pod) ? 2 : 1)
  return [...pods].sort((one, other) => rank(one) - rank(other)).slice(0, Math.min(count, podsMax))
}

export function deletePod({ registry, events }: JobContext, pod: JobPod): void {
  const { namespace, name, uid } = pod.metadata
  ignoreRefusal(() => {
    registry.delete('pods', namespace, name, { preconditions: { uid } })
    events.record('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
  })
}

/** Removes the tracking finalizer of a pod that is counted, or that no longer needs to be counted. */
export function release(registry: Registry, pod: StoredObject): void {
  const current = registry.get('pods', pod.metadata.namespace, pod.metadata.name)
  if (current?.metadata.uid !== pod.metadata.uid || !isTracked(current)) return
  const finalizers = current.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? []
  ignoreRefusal(() => registry.update('pods', { ...current, metadata: { ...current.metadata, finalizers } }))
}
