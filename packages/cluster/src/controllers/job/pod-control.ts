// Creates the pods of a Job, and releases those that are counted.
import type { Registry } from '../../api/registry.ts'
import { objectAt } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import { retryMs } from '../object-loop.ts'
import { createPod, podFromTemplate, podsMax } from '../pods.ts'
import type { JobContext, JobTracking } from './job-context.ts'
import type { Job } from './job-object.ts'
import { isTracked, trackingFinalizer } from './job-pod.ts'

/** Creates up to `count` pods and stops at the first refusal. Returns how many were created. */
export function createPods(context: JobContext, job: Job, count: number): number {
  const wanted = Math.min(count, podsMax)
  if (wanted < count) context.again(0)
  for (let made = 0; made < wanted; made++) {
    if (createPod(context, podFrom(job, context.tracking))) continue
    context.again(retryMs)
    return made
  }
  return wanted
}

function podFrom(job: Job, tracking: JobTracking): ReturnType<typeof podFromTemplate> {
  const { metadata, spec } = podFromTemplate(job, objectAt(job, 'spec', 'template'))
  const others = (job.spec.template?.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== trackingFinalizer)
  const finalizers = tracking === 'finalizers' ? [...others, trackingFinalizer] : others
  return { metadata: { ...metadata, finalizers }, spec }
}

/** Removes the tracking finalizer of a pod that is counted, or that no longer needs to be counted. */
export function release(registry: Registry, pod: StoredObject): void {
  const current = registry.get('pods', pod.metadata.namespace, pod.metadata.name)
  if (current?.metadata.uid !== pod.metadata.uid || !isTracked(current)) return
  const finalizers = current.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? []
  ignoreRefusal(() => registry.update('pods', { ...current, metadata: { ...current.metadata, finalizers } }))
}
