// Keeps a mirror of one kind true: list, watch, and again, for ever.
import type { Clock, Instant } from '../lib/clock.ts'
import type { Transport } from '../lib/http.ts'
import type { Random } from '../lib/random.ts'
import type { KubeObject, Resource } from './types.ts'

/** Told of every change, in order. Its methods never throw and never wait. */
export interface ReflectorSink<T> {
  /** A complete list: what is not in it is absent. `askedAt`: when it was sent. */
  replaced(items: readonly T[], askedAt: Instant): void
  changed(item: T): void
  removed(item: T): void
  /** A sign of life (event or bookmark): what is known is true as of now. */
  progressed(at: Instant): void
  /** The watch is broken; what is known ages from `since` on, until `progressed` or `replaced`. */
  stale(since: Instant, why: string): void
}

export type ReflectorOptions<T> = {
  readonly transport: Transport
  readonly resource: Resource
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Keeps only what is used, so that memory follows what we use and not what Kubernetes stores. */
  readonly project: (object: KubeObject) => T
  readonly sink: ReflectorSink<T>
  readonly clock: Clock
  readonly random: Random
}

/** Runs until the signal is aborted; resolves then and never rejects. */
export declare function runReflector<T>(options: ReflectorOptions<T>, until: AbortSignal): Promise<void>
