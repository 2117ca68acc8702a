// What rules read: objects, pods, the Kubernetes version, and of a live cluster what was seen when. Facts that are missing make a rule skip with a reason, never pass.
import type { Instant } from '../lib/clock.ts'
import type { ObjectRef } from './finding.ts'
import type { PodView } from './pod-view.ts'

/** A minor version of Kubernetes: 33 for 1.33. */
export type Minor = number

export type VersionFact = {
  /** The versions to consider. */
  readonly minors: readonly Minor[]
  /** Somebody said that it runs on each of them; else they are only possible. */
  readonly declared: boolean
  /** Who said it. */
  readonly from: string
}

export type ObjectFact = {
  readonly object: ObjectRef
  readonly document: number | undefined
  readonly raw: Readonly<Record<string, unknown>>
  /** Of its chart, where that narrows what is said of the whole input. */
  readonly version?: VersionFact | undefined
}

/** As the forge port's `Registration`; the id and status are needed only to remove it. */
export type RegistrationFact = {
  readonly name: string
  readonly busy: boolean | 'unknown'
  readonly id?: string
  readonly status?: 'online' | 'offline' | 'unknown'
}

export type LiveFacts = {
  readonly at: Instant
  /** Kinds that could not be read, with the reason. */
  readonly unreadable: Readonly<Record<string, string>>
  /** The namespaces that were looked at; all, unless given. */
  readonly namespaces?: readonly string[] | undefined
  /** An earlier look at the same cluster, where a rule needs a change in time. */
  readonly earlier: { readonly at: Instant; readonly objects: readonly ObjectFact[] } | undefined
  /** Registrations at the forge, where credentials were given. */
  readonly registrations: readonly RegistrationFact[] | undefined
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
