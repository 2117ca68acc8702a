// What rules read: objects, pods, the Kubernetes version, and of a live cluster what was seen when. Facts that are missing make a rule skip with a reason, never pass.
import type { Instant } from '../lib/clock.ts'
import type { ObjectRef } from './finding.ts'
import type { PodView } from './pods/pod-view.ts'
import type { VersionFact } from './versions/version-fact.ts'

export type { Minor, VersionFact } from './versions/version-fact.ts'

export type ObjectFact = {
  readonly object: ObjectRef
  readonly document: number | undefined
  readonly raw: Readonly<Record<string, unknown>>
  /** Of its chart, where that narrows what is said of the whole input. */
  readonly version?: VersionFact | undefined
}

/** As the forge's account lists it (src/forge/account.ts). */
export type RegistrationFact = {
  readonly id: string
  readonly name: string
  readonly status: 'online' | 'offline' | 'unknown'
  readonly busy: boolean | 'unknown'
  /** The id of its set at the forge, if it is of one. */
  readonly set: string | undefined
  readonly createdAt: Instant | undefined
}

/** What one account at a forge holds; it says nothing of runners of other accounts. */
export type ForgeFacts = {
  readonly url: string
  readonly removal: 'refuses-busy' | 'unguarded'
  readonly registrations: readonly RegistrationFact[]
  /** Of the sets that the cluster is about to forget, those that are still there. */
  readonly sets: readonly { readonly id: string; readonly name: string }[]
}

export type LiveFacts = {
  readonly at: Instant
  /** Kinds that could not be read, with the reason. */
  readonly unreadable: Readonly<Record<string, string>>
  /** The namespaces that were looked at; all, unless given. */
  readonly namespaces?: readonly string[] | undefined
  /** An earlier look at the same cluster, where a rule needs a change in time. */
  readonly earlier: { readonly at: Instant; readonly objects: readonly ObjectFact[] } | undefined
  /** Undefined: no credentials were given; or the forge did not answer, which then stands in `unreadable` under `Registration`. */
  readonly forge: ForgeFacts | undefined
  /** The ends of runners' logs, by the uid of their pod, and of how many more none was read; undefined: not asked for. */
  readonly logs?: { readonly tails: ReadonlyMap<string, string>; readonly unread: number } | undefined
  /** Terminated pods above which the pod garbage collector deletes, and whether that is assumed. */
  readonly podGcThreshold: { readonly value: number; readonly assumed: boolean }
}

export type Facts = {
  readonly version: VersionFact
  /** Every object of the input, those of a List and embedded ones one by one. */
  readonly objects: readonly ObjectFact[]
  readonly pods: readonly PodView[]
  readonly live: LiveFacts | undefined
}
