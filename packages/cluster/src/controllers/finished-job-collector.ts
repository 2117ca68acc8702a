// Removes finished Jobs when their `ttlSecondsAfterFinished` has passed, pods first (Kubernetes: pkg/controller/ttlafterfinished).
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Registry } from '../api/registry.ts'
import { jobSpecOf, jobStatusOf } from '../api/rules/job/job-spec.ts'
import type { StoredObject } from '../store/object.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { startLoop } from './loop.ts'

/** Starts the collector of finished Jobs. Returns a function that stops it. */
export function startFinishedJobCollector({
  registry,
  clock,
}: {
  readonly registry: Registry
  readonly clock: Clock
}): () => void {
  const loop = startLoop(clock, (key) => {
    const [namespace = '', name = ''] = key.split('/')
    const job = registry.get('jobs.batch', namespace, name)
    const due = job && dueAt(job)
    if (!job || due === undefined) return
    if (due > clock.now()) loop.after(key, due - clock.now())
    else remove(registry, job)
  })
  const unsubscribe = registry.subscribe('jobs.batch', ({ type, object }) => {
    if (type !== 'DELETED' && dueAt(object) !== undefined)
      loop.add(`${object.metadata.namespace}/${object.metadata.name}`)
  })
  return () => {
    unsubscribe()
    loop.stop()
  }
}

/** The time at which the Job expires; undefined if the Job has no TTL, has not finished, or is being deleted. */
function dueAt(job: StoredObject): Instant | undefined {
  const { ttlSecondsAfterFinished } = jobSpecOf(job)
  if (ttlSecondsAfterFinished === undefined || job.metadata.deletionTimestamp !== undefined) return undefined
  const end = jobStatusOf(job).conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
  const at = Date.parse(end?.lastTransitionTime ?? '')
  return Number.isNaN(at) ? undefined : at + ttlSecondsAfterFinished * 1000
}

function remove(registry: Registry, { metadata }: StoredObject): void {
  const { namespace, name, uid } = metadata
  ignoreRefusal(() => {
    registry.delete('jobs.batch', namespace, name, { propagationPolicy: 'Foreground', preconditions: { uid } })
  })
}
