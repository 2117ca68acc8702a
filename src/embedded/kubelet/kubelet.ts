// The kubelet runs the pods that are bound to its node. Each pod has its own worker.
import type { Clock } from '../../lib/clock.ts'
import type { NodeApi } from '../api/node.ts'
import type { Registry } from '../api/registry.ts'
import type { ContainerId, Runtime } from '../runtime/runtime.ts'
import type { StoredObject } from '../store/object.ts'
import type { ClusterAccess, KubeletContext } from './context.ts'
import type { Source } from './lookup.ts'
import { nodeLogs } from './node-logs.ts'
import { keepNode, type NodeDescription } from './node-object.ts'
import { asPod } from './pod.ts'
import { type PodWorker, startWorker } from './worker.ts'

const orphanGraceMs = 2_000

export type KubeletOptions = {
  readonly registry: Registry
  readonly runtime: Runtime
  readonly clock: Clock
  readonly node: NodeDescription
  readonly access: ClusterAccess
  /** The kubelet version that the node reports, for example `v1.36.0`. */
  readonly version: string
}

export interface Kubelet {
  readonly api: NodeApi
  /** Stops all workers; the containers run until the runtime is closed. `settled` resolves when every worker has ended. A hung hook delays that until the runtime is closed. */
  stop(): { readonly settled: Promise<void> }
}

/** Registers the node and starts the kubelet. The namespace `kube-node-lease` must exist. */
export function startKubelet(options: KubeletOptions): Kubelet {
  const { registry, runtime, clock, node, version, access } = options
  const stopNode = keepNode(registry, clock, node, { kubelet: version, runtime: runtime.version })
  const arrivals = watchArrivals(registry)
  const context: KubeletContext = { registry, runtime, clock, node: node.name, access, awaitObject: arrivals.await }
  const workers = new Map<string, PodWorker>()
  const survivors = runtime.containers()
  const see = (object: StoredObject, left: readonly ContainerId[] = []) => {
    const pod = asPod(object)
    if (pod.spec.nodeName !== node.name) return
    const { uid } = pod.metadata
    const known = workers.get(uid)
    if (known) return known.update(pod)
    const worker = startWorker(pod, context, left)
    workers.set(uid, worker)
    void worker.done.then(() => workers.delete(uid))
  }
  for (const object of registry.list('pods')) {
    see(
      object,
      survivors.filter(({ pod }) => pod === object.metadata.uid),
    )
  }
  const orphans = survivors.filter(({ pod }) => !workers.has(pod))
  const orphansEnded = endOrphans(runtime, orphans)
  const unsubscribe = registry.subscribe('pods', ({ type, object }) => {
    if (type === 'DELETED') workers.get(object.metadata.uid)?.vanish()
    else see(object)
  })
  const find = (namespace: string, name: string) => {
    for (const worker of workers.values()) {
      const { metadata } = worker.pod
      if (metadata.namespace === namespace && metadata.name === name) return worker
    }
    return undefined
  }
  const stop = () => {
    unsubscribe()
    arrivals.stop()
    stopNode()
    const running = [...workers.values()]
    for (const worker of running) worker.abandon()
    return { settled: Promise.all([orphansEnded, ...running.map(({ done }) => done)]).then(() => undefined) }
  }
  return { api: { logs: nodeLogs({ runtime, clock, find }) }, stop }
}

/** Ends the containers that an earlier kubelet left of pods that no longer exist. */
async function endOrphans(runtime: Runtime, orphans: readonly ContainerId[]): Promise<void> {
  await Promise.all(orphans.map((id) => runtime.stop(id, orphanGraceMs)))
  await Promise.all([...new Set(orphans.map(({ pod }) => pod))].map((pod) => runtime.remove(pod)))
}

/** Lets containers and volumes wait for a missing Secret or ConfigMap. */
function watchArrivals(registry: Registry): { readonly await: KubeletContext['awaitObject']; stop(): void } {
  const waiting = new Map<string, Set<() => void>>()
  const arrive = (resource: Source, { metadata }: StoredObject) => {
    const key = `${resource}/${metadata.namespace}/${metadata.name}`
    const callbacks = waiting.get(key)
    waiting.delete(key)
    for (const callback of callbacks ?? []) callback()
  }
  const unsubscribe = (['secrets', 'configmaps'] as const).map((resource) =>
    registry.subscribe(resource, ({ type, object }) => {
      if (type !== 'DELETED') arrive(resource, object)
    }),
  )
  return {
    await: (namespace, { resource, name }, arrived) => {
      const key = `${resource}/${namespace}/${name}`
      const known = waiting.get(key) ?? new Set()
      waiting.set(key, known.add(arrived))
      return () => {
        known.delete(arrived)
        if (known.size === 0 && waiting.get(key) === known) waiting.delete(key)
      }
    },
    stop: () => {
      for (const unsubscribeOne of unsubscribe) unsubscribeOne()
    },
  }
}
