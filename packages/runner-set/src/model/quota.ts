// The ResourceQuotas of a namespace, and what one runner's pod uses of them. Amounts are plain numbers in base units: cores, bytes, objects.

/** One condition on the pods that a quota counts, as `spec.scopeSelector` has it. `spec.scopes` is the same with `Exists`. */
export type QuotaScope = { readonly name: string; readonly operator: string; readonly values: readonly string[] }

export type Quota = {
  readonly name: string
  /** By resource, for example `pods` or `requests.cpu`. */
  readonly hard: Readonly<Record<string, number>>
  readonly used: Readonly<Record<string, number>>
  readonly scopes: readonly QuotaScope[]
}

/** `unread`: not listed yet. `unreadable`: the API server refuses the list, or fails. */
export type Quotas = 'unread' | 'unreadable' | readonly Quota[]

/** The amounts that one pod of a template uses, and the facts about it that the scopes of a quota name. */
export type PodUse = {
  /** By resource, as a quota names it. */
  readonly amounts: Readonly<Record<string, number>>
  readonly priorityClass: string | undefined
  /** It has a deadline of its own (`activeDeadlineSeconds`). */
  readonly isTerminating: boolean
  /** No container requests or limits cpu or memory. */
  readonly isBestEffort: boolean
}
