// Makes and removes the pods of a Job.
import { ApiError } from '../../api/errors.ts'
import type { Registry } from '../../api/registry.ts'
import type { StoredObject } from '../../store/object.ts'
import type { JobContext } from './job-context.ts'
import type { Job } from './job-object.ts'
import { isReady, isTracked, type JobPod, trackingFinalizer } from './job-pod.ts'

/** Pods that one look makes or removes at most. */
const podsMax = 500

/** How soon a creation that was refused is tried again. */
const retryMs = 1_000

/** How many were made: the first that is refused ends it until the next look. */
export function createPods(context: JobContext, job: Job, count: number): number {
  const { registry, events } = context
  const wanted = Math.min(count, podsMax)
  if (wanted < count) context.again(0)
  for (let made = 0; made < wanted; made++) {
    try {
      const pod = registry.create('pods', podFrom(job))
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

function podFrom({ metadata, spec }: Job): object {
  const { uid, name, namespace } = metadata
  const { labels, annotations, finalizers = [] } = spec.template?.metadata ?? {}
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels,
      annotations,
      finalizers: [...finalizers.filter((finalizer) => finalizer !== trackingFinalizer), trackingFinalizer],
      ownerReferences: [owner],
    },
    spec: spec.template?.spec,
  }
}

/** Those to give up first: not yet on a node, then not ready. */
export function firstToGo(pods: readonly JobPod[], count: number): readonly JobPod[] {
  const rank = (pod: JobPod) => (pod.spec.nodeName === undefined ? 0 : isReady(pod) ? 2 : 1)
  return [...pods].sort((one, other) => rank(one) - rank(other)).slice(0, Math.min(count, podsMax))
}

export function deletePod({ registry, events }: JobContext, pod: JobPod): void {
  const { namespace, name, uid } = pod.metadata
  attempt(() => {
    registry.delete('pods', namespace, name, { preconditions: { uid } })
    events.record('Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
  })
}

/** Lets a pod go whose end is counted, or that nobody counts any more. */
export function release(registry: Registry, pod: StoredObject): void {
  const current = registry.get('pods', pod.metadata.namespace, pod.metadata.name)
  if (current?.metadata.uid !== pod.metadata.uid || !isTracked(current)) return
  const finalizers = current.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? []
  attempt(() => registry.update('pods', { ...current, metadata: { ...current.metadata, finalizers } }))
}

/** What has changed or gone in the meantime comes back as an event of its own. */
function attempt(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}
