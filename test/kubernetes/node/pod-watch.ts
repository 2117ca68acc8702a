// Follows the runner pods of a namespace on the real node, so that a test knows every pod that existed for a moment.
import { runReflector } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { labels } from '@dayfly/runner-set/core/pod'
import { clock, pods, random } from '../client-place.ts'
import type { Node } from './open-node.ts'

export type PodWatch = ReturnType<typeof watchPods>

/** @param set only the runners of this set
 *  @param onSeen is called with each state of each pod, also with one that lasts for a moment */
export function watchPods({ transport }: Node, namespace: string, set?: string, onSeen?: (pod: KubeObject) => void) {
  const live = new Map<string, KubeObject>()
  const uids = new Set<string>()
  const see = (pod: KubeObject) => {
    const { name, uid = '' } = pod.metadata
    uids.add(uid)
    live.set(name, pod)
    onSeen?.(pod)
  }
  const until = new AbortController()
  const done = runReflector(
    {
      transport,
      resource: pods,
      namespace,
      labelSelector: set === undefined ? labels.runner : `${labels.set}=${set}`,
      project: (pod) => pod,
      clock,
      random,
      sink: {
        replaced: (items) => {
          live.clear()
          for (const item of items) see(item)
        },
        changed: see,
        removed: (pod) => {
          onSeen?.(pod)
          live.delete(pod.metadata.name)
        },
        progressed: () => {},
        stale: () => {},
      },
    },
    until.signal,
  )
  return {
    /** The pods that exist now. */
    live: (): readonly KubeObject[] => [...live.values()],
    /** The UIDs of all pods so far. */
    uids: uids as ReadonlySet<string>,
    close: async () => {
      until.abort(new Error('over'))
      await done
    },
  }
}
