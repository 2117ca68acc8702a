// The same load as plain Jobs, as an autoscaler without an own controller makes them: a Job for each runner, and no TTL.
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { markEnded, markRunning } from '../scale-up/kubelet.ts'
import { loopNamespace, type Place } from '../scale-up/place.ts'
import { openMeter } from './cost.ts'
import { watchPods } from './pods.ts'

export type JobsShape = {
  readonly name: string
  readonly lives: number
  readonly atOnce: number
  readonly jobMs: number
  /** The measurement ends after this time, also if lives are left to run. */
  readonly seconds: number
}

export type Jobs = {
  readonly name: string
  readonly seconds: number
  readonly created: number
  /** Pods that have ended their work, and Jobs whose status says so. */
  readonly ended: number
  readonly complete: number
  /** Jobs that got more than one pod, although no pod failed. */
  readonly repeated: number
  readonly writes: number
  readonly startMs: { readonly p50: number; readonly p95: number }
  readonly endedPodsMost: number
  readonly left: { readonly pods: number; readonly jobs: number }
}

const resource: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }

export async function runJobs(place: Place, shape: JobsShape): Promise<Jobs> {
  const { admin, transport, plane } = place
  const meter = await openMeter(place, { manager: plane.pid('controller-manager') })
  const createdAt = new Map<string, number>()
  const runs = new Map<string, number>()
  const work = new Set<Promise<unknown>>()
  let ended = 0
  let isOver = false
  const begin = (task: Promise<unknown>) => {
    const kept = task.finally(() => work.delete(kept))
    kept.catch(() => {})
    work.add(kept)
  }
  const create = async () => {
    const name = `job-${createdAt.size}`
    createdAt.set(name, performance.now())
    await admin.create(resource, job(name), { metadataOnly: true })
  }
  const live = async (name: string) => {
    await markRunning(admin, loopNamespace, name)
    await new Promise((resolve) => setTimeout(resolve, shape.jobMs))
    await markEnded(admin, loopNamespace, name)
    ended++
    if (!isOver && createdAt.size < shape.lives) await create()
  }
  const watch = await watchPods(transport, loopNamespace, {
    onSeen: ({ name, of }) => {
      runs.set(of, (runs.get(of) ?? 0) + 1)
      meter.started(performance.now() - (createdAt.get(of) ?? Number.NaN))
      begin(live(name))
    },
    onGone: () => {},
  })
  const startedAt = performance.now()
  for (let index = 0; index < Math.min(shape.atOnce, shape.lives); index++) await create()
  while (ended < shape.lives && performance.now() - startedAt < shape.seconds * 1_000) {
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  isOver = true
  const { seconds, writes, startMs } = await meter.cut(Math.max(1, ended))
  await Promise.all(work)
  const { items } = await admin.list(resource, { namespace: loopNamespace })
  const { now, most } = watch.ended()
  await watch.close()
  return {
    name: shape.name,
    seconds,
    created: createdAt.size,
    ended,
    complete: items.filter(isComplete).length,
    repeated: [...runs.values()].filter((count) => count > 1).length,
    writes,
    startMs,
    endedPodsMost: most,
    left: { pods: now, jobs: items.length },
  }
}

function job(name: string): KubeObject {
  const container = { name: 'runner', image: 'ghcr.io/actions/actions-runner:latest' }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: loopNamespace, name },
    spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  }
}

function isComplete(object: KubeObject): boolean {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: readonly { type: string; status: string }[] }
  return conditions.some(({ type, status }) => type === 'Complete' && status === 'True')
}
