// Objects by kind and key, with one counter of revisions. The store has no rules: it freezes and keeps what it is
// given.
import type { ResourceKey, StoredObject } from '../api/object.ts'
import type { StoreEvent } from '../api/registry.ts'
import { deepFreeze } from './freeze.ts'
import { keyOf } from './key.ts'
import { createOwnerIndex } from './owner-index.ts'
import { createShelf, deliver, type Listener, type ListRange, listNow, listThen, type Shelf } from './shelf.ts'

export interface Store {
  /** Returns the last committed revision. */
  revision(): number
  get(resource: ResourceKey, key: string): StoredObject | undefined
  list(resource: ResourceKey, range?: ListRange): readonly StoredObject[]
  /** Returns the list as it was at this revision, or undefined if the changes since then are no longer available. */
  listAt(resource: ResourceKey, revision: number, range?: ListRange): readonly StoredObject[] | undefined
  /** Returns the objects of every kind that have an ownerReference to this UID. */
  dependents(uid: string): readonly StoredObject[]
  /**
   * Adds or replaces an object. Sets its resourceVersion to the new revision. Calls all subscribers before it returns.
   */
  put(resource: ResourceKey, object: StoredObject): StoredObject
  /** Removes an object. Its last state has the revision of the deletion. */
  remove(resource: ResourceKey, key: string): StoredObject | undefined
  subscribe(resource: ResourceKey, listener: Listener): () => void
  watchFrom(
    resource: ResourceKey,
    revision: number,
    listener: Listener,
  ): { readonly is: 'watching'; stop(): void } | { readonly is: 'expired' }
}

/**
 * @param options.history the number of changes of a kind that are kept for watches and lists that start in the past.
 */
export function createStore(options: { readonly history?: number } = {}): Store {
  const shelves = new Map<ResourceKey, Shelf>()
  const owners = createOwnerIndex()
  const announce = announcer()
  let revision = 0

  const shelf = (resource: ResourceKey): Shelf => {
    const known = shelves.get(resource)
    if (known !== undefined) return known
    const made = createShelf(options.history ?? 2048)
    shelves.set(resource, made)
    return made
  }

  const commit = (resource: ResourceKey, change: Omit<StoreEvent, 'revision'>): void => {
    const event = Object.freeze({ ...change, revision })
    owners.change(resource, event)
    const at = shelf(resource)
    at.events.push(event)
    announce(at, event)
  }

  const put = (resource: ResourceKey, object: StoredObject): StoredObject => {
    const { objects, keys } = shelf(resource)
    const key = keyOf(object.metadata.namespace, object.metadata.name)
    const before = objects.get(key)
    const stored = deepFreeze(stamp(object, ++revision))
    if (before === undefined) keys.add(key)
    objects.set(key, stored)
    commit(resource, { type: before === undefined ? 'ADDED' : 'MODIFIED', object: stored, before })
    return stored
  }

  const remove = (resource: ResourceKey, key: string): StoredObject | undefined => {
    const { objects, keys } = shelf(resource)
    const before = objects.get(key)
    if (before === undefined) return undefined
    const last = deepFreeze(stamp(before, ++revision))
    objects.delete(key)
    keys.remove(key)
    commit(resource, { type: 'DELETED', object: last, before })
    return last
  }

  return {
    revision: () => revision,
    get: (resource, key) => shelves.get(resource)?.objects.get(key),
    list: (resource, range = {}) => listNow(shelf(resource), range),
    listAt: (resource, at, range = {}) => listThen(shelf(resource), at, range),
    dependents: (uid) => owners.of(uid).flatMap(({ resource, key }) => shelf(resource).objects.get(key) ?? []),
    put,
    remove,
    subscribe: (resource, listener) => listen(shelf(resource), listener, revision),
    watchFrom: (resource, from, listener) => {
      const at = shelf(resource)
      return at.events.reaches(from) ? { is: 'watching', stop: listen(at, listener, from) } : { is: 'expired' }
    },
  }
}

/**
 * Returns a function that delivers events to subscribers. If a listener writes, that event waits its turn, so that all
 * subscribers see all events in order.
 */
function announcer(): (shelf: Shelf, event: StoreEvent) => void {
  const pending: { readonly shelf: Shelf; readonly event: StoreEvent }[] = []
  let delivering = false
  return (shelf, event) => {
    pending.push({ shelf, event })
    if (delivering) return
    delivering = true
    try {
      for (let item = pending.shift(); item !== undefined; item = pending.shift()) {
        for (const subscription of item.shelf.subscriptions) deliver(subscription, item.event)
      }
    } finally {
      delivering = false
    }
  }
}

/** Delivers the changes since a revision, then every new one. Returns a function that stops it. */
function listen(shelf: Shelf, listener: Listener, from: number): () => void {
  const subscription = { listener, seen: from }
  for (let event = shelf.events.next(from); event !== undefined; event = shelf.events.next(subscription.seen)) {
    deliver(subscription, event)
  }
  shelf.subscriptions.add(subscription)
  return () => {
    shelf.subscriptions.delete(subscription)
  }
}

function stamp(object: StoredObject, revision: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
