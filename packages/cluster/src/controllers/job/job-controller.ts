// The Job controller creates each Job's pods until the Job has ended, and counts them (Kubernetes: pkg/controller/job).
import type { Clock } from '@dayfly/kit/clock'
import type { Profile } from '../../api/api.ts'
import type { Registry } from '../../api/registry.ts'
import { type EventRecorder, eventRecorder } from '../../event-recorder.ts'
import type { StoredObject } from '../../store/object.ts'
import { startLoop } from '../loop.ts'
import { type Backoff, noBackoff } from './backoff.ts'
import type { JobTracking } from './job-context.ts'
import { asJob, isFinished, isManagedElsewhere } from './job-object.ts'
import { isTracked, jobOf } from './job-pod.ts'
import { paced } from './pace.ts'
import { release } from './pod-control.ts'
import { syncJob } from './sync-job.ts'

/** The delay after a change of a pod or of a Job's status. Changes within it share one sync. */
const gatherMs = 1_000

export type JobControllerOptions = {
  readonly registry: Registry
  readonly clock: Clock
  readonly profile: Profile
  readonly tracking?: JobTracking | undefined
  /** The limit of its client. Without it, it never waits. kube-controller-manager's default is 20. */
  readonly requestsPerSecond?: number | undefined
}

/** Starts the Job controller. Returns a function that stops it. */
export function startJobController(options: JobControllerOptions): () => void {
  const { clock, profile, tracking = 'finalizers' } = options
  const { registry, waitMs } = paced(options)
  /** The controller's memory of unfinished Jobs, by uid. */
  const memories = new Map<string, { readonly events: EventRecorder; backoff: Backoff }>()
  const sync = (key: string) => {
    const [namespace = '', name = ''] = key.split('/')
    const object = registry.get('jobs.batch', namespace, name)
    if (!object) return
    const job = asJob(object)
    const { uid } = job.metadata
    if (isFinished(job) || isManagedElsewhere(job, profile)) return void memories.delete(uid)
    const memory = memories.get(uid) ?? {
      events: eventRecorder(job, { registry, clock, component: 'job-controller' }),
      backoff: noBackoff,
    }
    memories.set(uid, memory)
    const again = (ms: number) => loop.after(key, ms)
    memory.backoff = syncJob({ registry, clock, profile, tracking, again, ...memory }, job)
  }
  /** The Jobs that wait for the limit of requests, in their order. */
  const late = new Set<string>()
  const loop = startLoop(clock, (key) => {
    if (waitMs() > 0) late.add(key)
    else {
      late.delete(key)
      sync(key)
    }
    const [first] = late
    if (first !== undefined) loop.after(first, Math.max(0, waitMs()))
  })
  const stopJobs = registry.subscribe('jobs.batch', ({ type, object, before }) => {
    const key = `${object.metadata.namespace}/${object.metadata.name}`
    if (type === 'DELETED') {
      memories.delete(object.metadata.uid)
      for (const pod of registry.dependents(object.metadata.uid)) queueMicrotask(() => releaseOrphan(options, pod))
    } else if (before?.metadata.generation === object.metadata.generation && before !== undefined) {
      loop.after(key, gatherMs)
    } else loop.add(key)
  })
  const stopPods = registry.subscribe('pods', ({ type, object, before }) => {
    // A pod that has lost its owner is missing there.
    const owner = jobOf(object) ?? (before && jobOf(before))
    if (owner) loop.after(`${object.metadata.namespace}/${owner.name}`, gatherMs)
    if (type !== 'DELETED' && isTracked(object)) queueMicrotask(() => releaseOrphan(options, object))
  })
  for (const { metadata } of registry.list('jobs.batch')) loop.add(`${metadata.namespace}/${metadata.name}`)
  return () => {
    stopJobs()
    stopPods()
    loop.stop()
  }
}

/** Removes the tracking finalizer of a pod whose Job has finished or is gone. */
function releaseOrphan({ registry, profile }: JobControllerOptions, pod: StoredObject): void {
  const current = registry.get('pods', pod.metadata.namespace, pod.metadata.name)
  if (current?.metadata.uid !== pod.metadata.uid) return
  const owner = jobOf(current)
  if (!owner && current.metadata.ownerReferences?.some(({ controller }) => controller === true)) return
  const object = owner && registry.get('jobs.batch', current.metadata.namespace, owner.name)
  if (object && object.metadata.uid === owner?.uid) {
    const job = asJob(object)
    if (!isFinished(job) || isManagedElsewhere(job, profile)) return
  }
  release(registry, current)
}
