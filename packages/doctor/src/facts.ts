// The input of rules: objects, pods, the Kubernetes version and, for a live cluster, its state at one time.
// A rule whose facts are missing is skipped with a reason; it never counts as passed.
import type { Instant } from '@dayfly/kit/clock'
import type { JsonObject, Path } from '@dayfly/kit/read-json'
import type { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { Delivery } from './delivery.ts'
import type { ObjectRef } from './finding.ts'
import type { PodView } from './pod-view.ts'
import type { VersionFact } from './version-fact.ts'

export type { Minor, VersionFact } from './version-fact.ts'

export type ObjectFact = {
  readonly object: ObjectRef
  readonly document: number | undefined
  readonly raw: JsonObject
  /** The versions declared for the object's clusters, or allowed by its chart, if the operator declared none for the whole input. */
  readonly version?: VersionFact | undefined
  /** Undefined for live objects: they are where they are. */
  readonly delivery?: Delivery | undefined
  /** Undefined for live objects. */
  readonly source?: ObjectSource | undefined
}

/** The text that contains an object. */
export type ObjectSource = {
  readonly file: string
  /** Returns the comment that explains a key, at the end of its line or directly above it. */
  readonly commentAt: (path: Path) => string | undefined
  /** Whether a template leaves parts of the text out: `if`, `else`, `for`. */
  readonly hasBranches: () => boolean
}

/** One registration in the list of the forge's account (packages/runner-set/src/forge/account.ts). */
export type RegistrationFact = {
  readonly id: string
  readonly name: string
  readonly status: 'online' | 'offline' | 'unknown'
  readonly busy: boolean | 'unknown'
  /** The forge gives the runner no further job. Absent at a forge that has no cordon. */
  readonly isCordoned?: boolean
  /** Absent if the forge does not say. */
  readonly labels?: readonly string[]
  /** The id of its set at the forge, if it belongs to one. */
  readonly set: string | undefined
  /** See `AccountRegistration.createdAt`: it is at least this old. */
  readonly createdAt: Instant | undefined
}

/** The content of one account at a forge. It says nothing about runners of other accounts. */
export type ForgeFacts = {
  readonly url: string
  readonly removal: 'refuses-busy' | 'unguarded'
  readonly registrations: readonly RegistrationFact[]
  /** The sets that still exist at the forge although the cluster is deleting them. */
  readonly sets: readonly { readonly id: string; readonly name: string }[]
}

/** Why the objects of a kind are not known. */
export type Unread =
  /** The kind is optional and the credential may not list it. This is no gap: the least role leaves such kinds out. */
  | { readonly is: 'optional' }
  /** The request failed. `why` ends a sentence. */
  | { readonly is: 'failed'; readonly why: string }

export type LiveFacts = {
  readonly at: Instant
  /** The kinds that were not read, with the reason. */
  readonly unreadable: Readonly<Record<string, Unread>>
  /** The examined namespaces; undefined: all of them. */
  readonly namespaces?: readonly string[] | undefined
  /** An earlier state of the same cluster, for rules that need a change over time. */
  readonly earlier: { readonly at: Instant; readonly objects: readonly ObjectFact[] } | undefined
  /** Undefined: no credentials were given, or the forge did not answer. In the second case `unreadable` holds the reason under `Registration`. */
  readonly forge: ForgeFacts | undefined
  /** The last lines of runners' logs by the uid of their pod, and the number of further logs that were not read. Undefined: not requested. */
  readonly logs?: { readonly tails: ReadonlyMap<string, string>; readonly unread: number } | undefined
  /** The number of terminated pods above which the pod garbage collector deletes, and whether that number is assumed. */
  readonly podGcThreshold: { readonly value: number; readonly assumed: boolean }
}

export type Facts = {
  readonly version: VersionFact
  /** Every object of the input. Items of a List and embedded objects count one by one. */
  readonly objects: readonly ObjectFact[]
  readonly pods: readonly PodView[]
  readonly live: LiveFacts | undefined
  readonly readSet?: ReadSet | undefined
}

/** Reads a RunnerSet as the controller does. Loading it takes 20 ms, so only an input with such a set has it. */
export type ReadSet = typeof parseRunnerSet
