// The objects that every part of the kubelet shares.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Registry } from '../api/registry.ts'
import type { Tokens } from '../api/tokens.ts'
import type { EventRecorder } from '../event-recorder.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { AwaitedObject } from './lookup.ts'
import type { Pod } from './pod.ts'
import type { ContainerRecord } from './record.ts'

export interface ClusterAccess {
  readonly tokens: Tokens
  /** Undefined while the API server does not listen. */
  address(): { readonly host: string; readonly port: number } | undefined
}

export type KubeletContext = {
  readonly registry: Registry
  readonly runtime: Runtime
  readonly clock: Clock
  readonly node: string
  /** How containers reach the API server. */
  readonly access: ClusterAccess
  /** Calls `arrived` once, when the object is next created or changed. Returns a function that stops the wait. */
  awaitObject(namespace: string, awaited: AwaitedObject, arrived: () => void): () => void
}

/** One pod on this node, as the parts of its worker share it. */
export type PodContext = KubeletContext & {
  /** The pod as it is in the cluster now. */
  pod(): Pod
  readonly records: readonly ContainerRecord[]
  readonly events: EventRecorder
  /** Makes the worker run its next step as soon as it can. */
  wake(): void
  /** Makes the worker run its next step at this instant, or earlier. */
  wakeAt(at: Instant): void
  /** Aborted when the worker has ended. */
  readonly until: AbortSignal
}

/** The name of a container in the `fieldPath` of an Event. */
export function fieldOf({ spec, role }: ContainerRecord): string {
  return `spec.${role === 'regular' ? 'containers' : 'initContainers'}{${spec.name}}`
}
