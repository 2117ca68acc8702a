// The ledger of one quota: the usage of each object, and their sum.
import { keyOf, type ResourceKey, type StoredObject } from '../../store/object.ts'
import { type Amounts, add, amountsOf, countOf, masked, subtract, toList } from '../values/amounts.ts'
import { field } from '../values/json.ts'
import type { Quantity } from '../values/quantity.ts'
import type { Draft } from '../verbs/draft.ts'
import { matchesScope, scopesOf } from './scopes.ts'
import { usageOf, userOf } from './usage.ts'

export interface Ledger {
  readonly name: string
  readonly hard: Amounts
  /** The kinds that use the limited resources. */
  readonly users: ReadonlySet<ResourceKey>
  readonly used: Amounts
  /** Returns what the object uses of the limited resources; undefined if the quota's scopes exclude it. */
  usage(resource: ResourceKey, object: Draft | StoredObject): Amounts | undefined
  /** Counts the object as it is now, instead of as it was before. */
  count(resource: ResourceKey, object: StoredObject): void
  forget(resource: ResourceKey, object: StoredObject): void
  /** Returns the status that the quota should have. */
  status(): object
}

export function createLedger(quota: StoredObject): Ledger {
  const hard = amountsOf(field(quota, 'spec', 'hard'))
  const scopes = scopesOf(quota)
  const users = new Set([...hard.keys()].flatMap((name) => userOf(name) ?? []))
  const counted = new Map<string, Amounts>()
  const used = new Map<string, Quantity>(
    [...hard.keys()].filter((name) => userOf(name) !== undefined).map((name) => [name, countOf(0)]),
  )
  const usage: Ledger['usage'] = (resource, object) => {
    if (!users.has(resource) || !scopes.every((scope) => matchesScope(resource, object, scope))) return undefined
    return masked(usageOf(resource, object), (name) => hard.has(name))
  }
  const replace = (resource: ResourceKey, object: StoredObject, next: Amounts): void => {
    const key = `${resource} ${keyOf(object.metadata.namespace, object.metadata.name)}`
    for (const [name, amount] of counted.get(key) ?? amountsOf()) {
      const rest = subtract(used.get(name) ?? amount, amount)
      used.set(name, rest.nano === 0n ? countOf(0) : rest)
    }
    for (const [name, amount] of next) used.set(name, add(used.get(name), amount))
    if (next.size === 0) counted.delete(key)
    else counted.set(key, next)
  }
  return {
    name: quota.metadata.name,
    hard,
    users,
    used,
    usage,
    count: (resource, object) => replace(resource, object, usage(resource, object) ?? amountsOf()),
    forget: (resource, object) => replace(resource, object, amountsOf()),
    status: () => (hard.size === 0 ? {} : { hard: toList(hard), used: toList(used) }),
  }
}
