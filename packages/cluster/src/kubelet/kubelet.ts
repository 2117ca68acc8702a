// The kubelet runs the pods that are bound to its node. Each pod has its own worker.
import type { Clock } from '@dayfly/kit/clock'
import type { NodeApi } from '../api/node.ts'
import type { Registry } from '../api/registry.ts'
import type { ContainerId, Runtime } from '../runtime/runtime.ts'
import type { StoredObject } from '../store/object.ts'
import type { ClusterAccess, KubeletContext } from './context.ts'
import type { Source } from './lookup.ts'
import { nodeExec } from './node-exec.ts'
import { nodeLogs } from './node-logs.ts'
import { keepNode, type NodeDescription } from './node-object.ts'
import { nodeUsage } from './node-usage.ts'
import { isFinal } from './phase.ts'
import { asPod, type Pod } from './pod.ts'
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
  const left = runtime.left(finishedPods(registry))
  const work = (pod: Pod, containers?: readonly ContainerId[]) => {
    const { uid } = pod.metadata
    const worker = startWorker(pod, context, containers)
    workers.set(uid, worker)
    void worker.done.then(() => workers.delete(uid))
    return worker
  }
  const see = (object: StoredObject, containers?: readonly ContainerId[]) => {
    const pod = asPod(object)
    const known = workers.get(pod.metadata.uid)
    if (known) known.update(pod)
    else if (!isAtRest(pod)) work(pod, containers)
  }
  const forget = ({ metadata: { uid } }: Pod) => {
    const worker = workers.get(uid)
    if (worker) worker.vanish()
    else void runtime.remove(uid)
  }
  const isHere = (object: StoredObject) => asPod(object).spec.nodeName === node.name
  for (const object of registry.list('pods').filter(isHere)) see(object, left.get(object.metadata.uid))
  const orphans = [...left].filter(([pod]) => !workers.has(pod))
  const orphansEnded = Promise.all(orphans.map(([pod, containers]) => endOrphan(runtime, pod, containers)))
  const unsubscribe = registry.subscribe('pods', ({ type, object }) => {
    if (!isHere(object)) return
    if (type === 'DELETED') forget(asPod(object))
    else see(object)
  })
  let isOn = true
  const find = (namespace: string, name: string) => {
    const object = registry.get('pods', namespace, name)
    if (!isOn || object === undefined || !isHere(object)) return undefined
    return workers.get(object.metadata.uid) ?? work(asPod(object))
  }
  const stop = () => {
    isOn = false
    unsubscribe()
    arrivals.stop()
    stopNode()
    const running = [...workers.values()]
    for (const worker of running) worker.abandon()
    return { settled: Promise.all([orphansEnded, ...running.map(({ done }) => done)]).then(() => undefined) }
  }
  const source = { runtime, clock, find }
  return { api: { logs: nodeLogs(source), exec: nodeExec(source), usage: nodeUsage(source) }, stop }
}

/** Whether nothing is left to do for the pod until it is deleted. There may be thousands of such pods, so they get no worker. */
function isAtRest({ metadata, status }: Pod): boolean {
  return isFinal(status.phase) && metadata.deletionTimestamp === undefined
}

/** Returns the pods whose status is final. There may be thousands, and nothing of them is taken over. */
function finishedPods(registry: Registry): ReadonlySet<string> {
  const pods = registry.list('pods').map(asPod)
  return new Set(pods.filter(({ status }) => isFinal(status.phase)).map(({ metadata }) => metadata.uid))
}

/** Ends and removes what an earlier kubelet left of a pod that no longer exists. */
async function endOrphan(runtime: Runtime, pod: string, containers: readonly ContainerId[]): Promise<void> {
  await Promise.all(containers.map((id) => runtime.stop(id, orphanGraceMs)))
  await runtime.remove(pod)
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
