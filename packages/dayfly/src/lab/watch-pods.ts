// Follows the pods of a namespace, so that an incident knows each pod that existed for a moment.
import { pods } from '@dayfly/controller/resources'
import { runReflector } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { World } from './world.ts'

export type PodSink = {
  readonly came?: (pod: KubeObject) => void
  /** Receives each state of each pod, also the first and the last one. */
  readonly changed?: (pod: KubeObject) => void
  readonly left?: (pod: KubeObject) => void
}

/** Returns the pods that exist now, by their UID. It follows them until the world ends. */
export function watchPods(world: World, namespace: string, sink: PodSink): ReadonlyMap<string, KubeObject> {
  const { transport, clock, random, over } = world
  const live = new Map<string, KubeObject>()
  const see = (pod: KubeObject) => {
    const { uid = '' } = pod.metadata
    const isNew = !live.has(uid)
    live.set(uid, pod)
    if (isNew) sink.came?.(pod)
    sink.changed?.(pod)
  }
  const forget = (pod: KubeObject) => {
    live.delete(pod.metadata.uid ?? '')
    sink.changed?.(pod)
    sink.left?.(pod)
  }
  const replaced = (items: readonly KubeObject[]) => {
    const present = new Set(items.map(({ metadata }) => metadata.uid))
    for (const pod of live.values()) if (!present.has(pod.metadata.uid)) forget(pod)
    for (const item of items) see(item)
  }
  const ignore = () => {}
  const all = { replaced, changed: see, removed: forget, progressed: ignore, stale: ignore }
  const project = (pod: KubeObject) => pod
  void runReflector({ transport, resource: pods, namespace, project, sink: all, clock, random }, over)
  return live
}
