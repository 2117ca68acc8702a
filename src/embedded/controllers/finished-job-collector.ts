// Removes finished Jobs once their `ttlSecondsAfterFinished` is over, pods first (Kubernetes: pkg/controller/ttlafterfinished).
import type { Clock, Instant } from '../../lib/clock.ts'
import { ApiError } from '../api/errors.ts'
import type { Registry } from '../api/registry.ts'
import { jobSpecOf, jobStatusOf } from '../api/rules/job/job-spec.ts'
import type { StoredObject } from '../store/object.ts'
import { startLoop } from './loop.ts'

/** Starts it; returns how to stop. */
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

/** When it is to go; undefined while nobody knows, and once it goes. */
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
  try {
    registry.delete('jobs.batch', namespace, name, { propagationPolicy: 'Foreground', preconditions: { uid } })
  } catch (error) {
    // Somebody was faster.
    if (!(error instanceof ApiError)) throw error
  }
}
