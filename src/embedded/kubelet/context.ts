// What every part of the kubelet works with.
import type { Clock, Instant } from '../../lib/clock.ts'
import type { Registry } from '../api/registry.ts'
import type { EventRecorder } from '../event-recorder.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Awaited } from './lookup.ts'
import type { Pod } from './pod.ts'
import type { ContainerRecord } from './record.ts'

export type KubeletContext = {
  readonly registry: Registry
  readonly runtime: Runtime
  readonly clock: Clock
  readonly node: string
  /** Calls `arrived` once, when the object is next created or changed. Returns how to stop waiting. */
  awaitObject(namespace: string, awaited: Awaited, arrived: () => void): () => void
}

/** One pod on this node, as the parts of its worker share it. */
export type PodContext = KubeletContext & {
  /** As it stands in the cluster now. */
  pod(): Pod
  readonly records: readonly ContainerRecord[]
  readonly events: EventRecorder
  /** The worker looks again as soon as it can. */
  wake(): void
  /** The worker looks again at this instant, or earlier. */
  wakeAt(at: Instant): void
  /** Aborted when the worker is over. */
  readonly until: AbortSignal
}

/** How an event names a container. */
export function fieldOf({ spec, role }: ContainerRecord): string {
  return `spec.${role === 'regular' ? 'containers' : 'initContainers'}{${spec.name}}`
}
