// Watches the pods of one namespace: new ones, gone ones, and how many have ended and are still there.
import type { Transport } from '@dayfly/kit/http'
import { textAt } from '@dayfly/kit/read-json'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { runReflector } from '@dayfly/kubernetes/reflector'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { labels } from '@dayfly/runner-set/core/pod'
import { pods } from '../scale-up/observer.ts'

export type SeenPod = {
  readonly name: string
  /** The runner set of a runner, or the Job that owns the pod. */
  readonly of: string
  readonly isEnded: boolean
}

export type PodEvents = {
  readonly onSeen: (pod: SeenPod) => void
  readonly onGone: (pod: SeenPod) => void
}

export type PodWatch = {
  /** The number of ended pods now, and the highest one at any time. */
  ended(): { readonly now: number; readonly most: number }
  close(): Promise<void>
}

export async function watchPods(transport: Transport, namespace: string, events: PodEvents): Promise<PodWatch> {
  const present = new Map<string, SeenPod>()
  let ended = 0
  let most = 0
  let opened = () => {}
  const ready = new Promise<void>((resolve) => {
    opened = resolve
  })
  const changed = (pod: SeenPod) => {
    const before = present.get(pod.name)
    present.set(pod.name, pod)
    if (pod.isEnded && !before?.isEnded) most = Math.max(most, ++ended)
    if (!before) events.onSeen(pod)
  }
  const until = new AbortController()
  const running = runReflector(
    {
      transport,
      resource: pods,
      namespace,
      project: seenPod,
      unread: ['spec', 'managedFields'],
      clock: systemClock(),
      random: systemRandom(),
      sink: {
        replaced: (all) => {
          for (const pod of all) changed(pod)
          opened()
        },
        changed,
        removed: (pod) => {
          if (present.get(pod.name)?.isEnded) ended--
          if (present.delete(pod.name)) events.onGone(pod)
        },
        progressed: () => {},
        stale: (_, why) => process.stderr.write(`pods: ${why}\n`),
      },
    },
    until.signal,
  )
  await ready
  return {
    ended: () => ({ now: ended, most }),
    close: async () => {
      until.abort()
      await running
    },
  }
}

function seenPod(object: KubeObject): SeenPod {
  const { name, labels: given, ownerReferences } = object.metadata
  const of = given?.[labels.set] ?? ownerReferences?.[0]?.name ?? ''
  return { name, of, isEnded: /^(Succeeded|Failed)$/.test(textAt(object, 'status', 'phase') ?? '') }
}
