// Watches the pods of one namespace and notes when each appears and when it is gone.
import type { Transport } from '@dayfly/kit/http'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { runReflector } from '@dayfly/kubernetes/reflector'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'

export type Observer = {
  /** The time of the first event of each pod, by name, on the scale of `performance.now`. */
  readonly seen: ReadonlyMap<string, number>
  /** The time of each pod's deletion. */
  readonly gone: ReadonlyMap<string, number>
  /** Waits until this many pods were seen, or gone. Rejects when nothing has happened for a minute. */
  reached(what: 'seen' | 'gone', count: number): Promise<void>
  /** Calls `onPod` for each new pod, also for those that exist. */
  onPod(listener: (name: string) => void): () => void
  forget(): void
  close(): Promise<void>
}

export const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
const silenceMsMax = 60_000

export async function observe(transport: Transport, namespace: string): Promise<Observer> {
  const seen = new Map<string, number>()
  const gone = new Map<string, number>()
  const listeners = new Set<(name: string) => void>()
  const until = new AbortController()
  let wake = () => {}
  let opened = () => {}
  const ready = new Promise<void>((resolve) => {
    opened = resolve
  })
  const note = (name: string) => {
    if (!seen.has(name)) {
      seen.set(name, performance.now())
      for (const listener of listeners) listener(name)
    }
    wake()
  }
  const running = runReflector(
    {
      transport,
      resource: pods,
      namespace,
      project: (object: KubeObject) => object.metadata.name,
      unread: ['spec', 'status', 'managedFields', 'ownerReferences'],
      clock: systemClock(),
      random: systemRandom(),
      sink: {
        replaced: (names) => {
          for (const name of names) note(name)
          opened()
        },
        changed: note,
        removed: (name) => {
          note(name)
          gone.set(name, performance.now())
          wake()
        },
        progressed: () => {},
        stale: (_, why) => process.stderr.write(`observer: ${why}\n`),
      },
    },
    until.signal,
  )
  await ready
  return {
    seen,
    gone,
    reached: async (what, count) => {
      const counted = what === 'seen' ? seen : gone
      while (counted.size < count) {
        const moved = await within(silenceMsMax, (resolve) => {
          wake = resolve
        })
        if (!moved) throw new Error(`${counted.size} of ${count} pods ${what} after a minute without an event`)
      }
    },
    onPod: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    forget: () => {
      seen.clear()
      gone.clear()
    },
    close: async () => {
      until.abort()
      await running
    },
  }
}

/** Resolves with false if `start` has not called its argument in time. */
function within(ms: number, start: (resolve: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    start(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
