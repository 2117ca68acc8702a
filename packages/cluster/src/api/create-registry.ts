// Creates the registry: the verbs of the API server over a store.
import type { Clock } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { keyOf } from '../store/object.ts'
import type { Store } from '../store/store.ts'
import { type Api, kindOf, type Profile } from './api.ts'
import { apply } from './apply/apply.ts'
import { createSharedSets } from './apply/shared-sets.ts'
import { indexEvents } from './events-by-subject.ts'
import { defaultEventTtlMs, expireEvents } from './expire-events.ts'
import { followDefinitions } from './kinds/custom-kinds.ts'
import { createKinds } from './kinds/kinds.ts'
import { followQuotas } from './quota/quotas.ts'
import type { Registry } from './registry.ts'
import { bind } from './verbs/bind.ts'
import { create } from './verbs/create.ts'
import { remove } from './verbs/delete.ts'
import { page } from './verbs/page.ts'
import { patch } from './verbs/patch.ts'
import { update } from './verbs/update.ts'

type RegistryOptions = {
  readonly store: Store
  readonly clock: Clock
  /** Generates UIDs and the random part of generated names. */
  readonly random: Random
  readonly profile?: Profile
  /** How long an Event is kept after its last write, in milliseconds. Default: one hour, as in kube-apiserver. */
  readonly eventTtlMs?: number | undefined
}

export function createRegistry(options: RegistryOptions): Registry {
  const { store, clock, random, profile = '1.36' } = options
  const kinds = createKinds()
  const fieldSets = createSharedSets()
  const eventsBySubject = indexEvents(store)
  const api: Api = { store, kinds, quotas: followQuotas(store), fieldSets, eventsBySubject, clock, random, profile }
  followDefinitions(api)
  expireEvents(api, options.eventTtlMs ?? defaultEventTtlMs)
  store.replay()
  return {
    kinds,
    get: (resource, namespace, name) => {
      const kind = kindOf(api, resource)
      return store.get(resource, keyOf(kind.namespaced ? namespace : undefined, name))
    },
    list: (resource, namespace) => {
      const kind = kindOf(api, resource)
      return store.list(resource, { namespace: kind.namespaced ? namespace : undefined })
    },
    dependents: store.dependents,
    create: (resource, object, write = {}) => create(api, resource, object, write),
    update: (resource, object, write = {}) => update(api, resource, object, write),
    delete: (resource, namespace, name, deletion = {}) => remove(api, resource, { namespace, name }, deletion),
    patch: (resource, at, change, options = {}) => patch(api, kindOf(api, resource), at, { change, options }),
    apply: (resource, at, applied, options = {}) => apply(api, kindOf(api, resource), { ...applied, at }, options),
    deleteCollection: (resource, namespace, selectors, deletion = {}) =>
      page(api, resource, { ...selectors, namespace }).items.map(
        ({ metadata }) =>
          remove(api, resource, { namespace: metadata.namespace, name: metadata.name }, deletion).object,
      ),
    page: (resource, options = {}) => page(api, resource, options),
    bind: (namespace, pod, node) => bind(api, namespace, pod, node),
    subscribe: store.subscribe,
    watchFrom: store.watchFrom,
    replay: store.replay,
    revision: store.revision,
  }
}
