// Enforces ResourceQuotas: refuses what would exceed one, and keeps `status.used` true. Usage is counted when an object is
// stored, so that no two writers can share the last place.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
import type { StoreEvent } from '../../store/event-ring.ts'
import { keyOf, type ResourceKey, type StoredObject } from '../../store/object.ts'
import type { Store } from '../../store/store.ts'
import { forbidden } from '../errors.ts'
import type { Kind } from '../kind.ts'
import { specOf } from '../rules/pod/pod-spec.ts'
import { type Amounts, add, amountsOf, masked, printAmounts, subtract } from '../values/amounts.ts'
import { field, sameJson } from '../values/json.ts'
import type { Draft } from '../verbs/draft.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { isTerminating } from './scopes.ts'
import { lacking } from './usage.ts'

const quotas = 'resourcequotas'

/** The kinds whose usage may change after their creation. */
const changing: readonly ResourceKey[] = ['persistentvolumeclaims', 'pods', 'services']

export interface Quotas {
  /** Throws the 403 if a quota excludes the object. `current` is the stored object that it replaces. */
  admit(kind: Kind, draft: Draft, current?: StoredObject): void
  /** Counts a stored object at once. Its event may come later. */
  count(resource: ResourceKey, object: StoredObject): void
}

/** Starts to count. Every quota of the store gets its status. */
export function followQuotas(store: Store): Quotas {
  /** The ledgers by namespace, then by the name of the quota. */
  const ledgers = new Map<string, Map<string, Ledger>>()
  const followed = new Set<ResourceKey>()
  const among = (namespace: string | undefined): readonly Ledger[] => [
    ...(ledgers.get(namespace ?? '')?.values() ?? []),
  ]

  const report = (namespace: string, ledger: Ledger): void => {
    const quota = store.get(quotas, keyOf(namespace, ledger.name))
    if (quota === undefined || ledgers.get(namespace)?.get(ledger.name) !== ledger) return
    const status = ledger.status()
    if (!sameJson(quota['status'], status)) store.put(quotas, { ...quota, status })
  }

  const recount = (resource: ResourceKey, { type, object }: Pick<StoreEvent, 'type' | 'object'>): void => {
    const { namespace = '' } = object.metadata
    for (const ledger of among(namespace)) {
      if (!ledger.users.has(resource)) continue
      if (type === 'DELETED') ledger.forget(resource, object)
      else ledger.count(resource, object)
      report(namespace, ledger)
    }
  }

  const open = (quota: StoredObject): void => {
    const { namespace = '', name } = quota.metadata
    const ledger = createLedger(quota)
    const own = new Map(ledgers.get(namespace)).set(name, ledger)
    ledgers.set(namespace, new Map([...own].sort(([one], [other]) => (one < other ? -1 : 1))))
    for (const resource of ledger.users) {
      if (!followed.has(resource)) store.subscribe(resource, (event) => recount(resource, event))
      followed.add(resource)
      for (const object of store.list(resource, { namespace })) ledger.count(resource, object)
    }
    report(namespace, ledger)
  }

  store.subscribe(quotas, ({ type, object, before }) => {
    const { namespace = '', name } = object.metadata
    const ledger = ledgers.get(namespace)?.get(name)
    if (type === 'DELETED') ledgers.get(namespace)?.delete(name)
    else if (ledger === undefined || !sameJson(field(before, 'spec'), object['spec'])) open(object)
    // A client may have written another status.
    else report(namespace, ledger)
  })

  return {
    admit: (kind, draft, current) => admit(kind, draft, current, among(draft.metadata.namespace)),
    count: (resource, object) => {
      const { namespace = '' } = object.metadata
      for (const ledger of among(namespace)) if (ledger.users.has(resource)) ledger.count(resource, object)
    },
  }
}

function admit(kind: Kind, draft: Draft, current: StoredObject | undefined, all: readonly Ledger[]): void {
  const { resource } = kind
  if (all.length === 0 || (current !== undefined && !mayUseMore(resource, draft, current))) return
  const name = draft.metadata.name ?? ''
  const touched = all.flatMap((ledger) => {
    const usage = ledger.usage(resource, draft)
    return usage === undefined ? [] : [{ ledger, usage }]
  })
  for (const { ledger } of touched) {
    const missing = resource === 'pods' ? lacking(specOf(draft), [...ledger.hard.keys()]) : ''
    if (missing !== '') throw forbidden(kind, name, `failed quota: ${ledger.name}: must specify ${missing}`)
  }
  for (const { ledger, usage } of touched) {
    const known = (current === undefined ? undefined : ledger.usage(resource, current)) ?? amountsOf()
    const requested = increase(usage, known)
    const exceeds = (resourceName: string): boolean => isExceeded(ledger, requested, resourceName)
    const exceeded = masked(requested, exceeds)
    if (exceeded.size === 0) continue
    const [used, limited] = [masked(ledger.used, exceeds), masked(ledger.hard, exceeds)].map(printAmounts)
    const why = `requested: ${printAmounts(exceeded)}, used: ${used}, limited: ${limited}`
    throw forbidden(kind, name, `exceeded quota: ${ledger.name}, ${why}`)
  }
}

/** Returns whether an update may use more than before. A pod can only move into another scope. */
function mayUseMore(resource: ResourceKey, draft: Draft, current: StoredObject): boolean {
  if (!changing.includes(resource)) return false
  return resource !== 'pods' || isTerminating(draft) !== isTerminating(current)
}

function increase(usage: Amounts, known: Amounts): Amounts {
  const more = [...usage].map(([name, amount]) => {
    const before = known.get(name)
    return [name, before === undefined ? amount : subtract(amount, before)] as const
  })
  return new Map(more.filter(([, { nano }]) => nano > 0n))
}

function isExceeded({ used, hard }: Ledger, requested: Amounts, name: string): boolean {
  const [wanted, limit] = [requested.get(name), hard.get(name)]
  return wanted !== undefined && limit !== undefined && add(used.get(name), wanted).nano > limit.nano
}
