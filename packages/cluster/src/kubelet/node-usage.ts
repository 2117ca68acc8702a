// Measures the usage of the pods on this node when a client asks for it. Nothing is measured in between.
import type { Instant } from '@dayfly/kit/clock'
import type { NodeApi, PodUsage } from '../api/node.ts'
import type { ContainerUsage } from '../runtime/runtime.ts'
import type { NodeSource } from './node-logs.ts'

/** Two measurements are at least this far apart, in milliseconds. A client that asks sooner gets the last one. */
const windowMsMin = 1_000
/** The processor's use over a longer window says too little about now. */
const windowMsMax = 60_000

type Reading = { readonly at: Instant; readonly used: ReadonlyMap<string, ContainerUsage> }

export function nodeUsage({ runtime, clock }: Pick<NodeSource, 'runtime' | 'clock'>): NodeApi['usage'] {
  let before: Reading | undefined
  let last: readonly PodUsage[] = []
  let underway: Promise<readonly PodUsage[]> | undefined
  const read = (): Reading => {
    const used = new Map(runtime.usage().map((usage) => [keyOf(usage), usage]))
    return { at: clock.now(), used }
  }
  const measure = async () => {
    if (before && clock.now() - before.at < windowMsMin) return last
    if (!before || clock.now() - before.at > windowMsMax) {
      before = read()
      if (before.used.size === 0) return []
      await clock.sleep(windowMsMin)
    }
    const now = read()
    last = podsOf(before, now)
    before = now
    return last
  }
  return () => {
    underway ??= measure().finally(() => {
      underway = undefined
    })
    return underway
  }
}

function podsOf(before: Reading, now: Reading): readonly PodUsage[] {
  const pods = new Map<string, PodUsage>()
  for (const [key, { id, startedAt, cpuMs, memoryBytes }] of now.used) {
    const known = before.used.get(key)
    const windowMs = now.at - (known ? before.at : startedAt)
    if (windowMs <= 0) continue
    // The time of a process that nobody waited for is lost.
    const cpu = Math.max(0, cpuMs - (known?.cpuMs ?? 0)) / windowMs
    const pod = pods.get(id.pod) ?? { pod: id.pod, at: now.at, windowMs, containers: [] }
    const containers = [...pod.containers, { name: id.name, cpu, memoryBytes }]
    pods.set(id.pod, { ...pod, windowMs: Math.max(windowMs, pod.windowMs), containers })
  }
  return [...pods.values()]
}

function keyOf({ id: { pod, name, attempt } }: ContainerUsage): string {
  return `${pod}/${name}.${attempt}`
}
