// Objects by kind and key, with one counter of revisions. The store has no rules: it freezes and keeps what it is
// given.
import {
  type Collection,
  createCollection,
  deliver,
  indexBy,
  type Listener,
  type ListRange,
  listAt,
  listNow,
} from './collection.ts'
import type { DataDirectory } from './data-directory.ts'
import type { StoreEvent } from './event-ring.ts'
import type { Change, Snapshot } from './journal-format.ts'
import { deepFreeze, keyOf, type ResourceKey, type StoredObject } from './object.ts'
import { createOwnerIndex } from './owner-index.ts'

export interface Store {
  /** Returns the last committed revision. */
  revision(): number
  get(resource: ResourceKey, key: string): StoredObject | undefined
  list(resource: ResourceKey, range?: ListRange): readonly StoredObject[]
  /** Returns the list as it was at this revision, or undefined if the changes since then are no longer available. */
  listAt(resource: ResourceKey, revision: number, range?: ListRange): readonly StoredObject[] | undefined
  /** Indexes the objects of a kind by values that they have. Returns a function that lists those with one value. */
  indexBy(
    resource: ResourceKey,
    valuesOf: (object: StoredObject) => readonly string[],
  ): (value: string, range: ListRange) => readonly StoredObject[]
  /** Returns the objects of every kind that have an ownerReference to this UID. */
  dependents(uid: string): readonly StoredObject[]
  /**
   * Adds or replaces an object. Sets its resourceVersion to the new revision. Calls all subscribers before it returns.
   */
  put(resource: ResourceKey, object: StoredObject): StoredObject
  /** Removes an object. Its last state has the revision of the deletion. */
  remove(resource: ResourceKey, key: string): StoredObject | undefined
  subscribe(resource: ResourceKey, listener: Listener): () => void
  /** Delivers each object that the store began with as ADDED, for the parts that subscribed since. */
  replay(): void
  watchFrom(
    resource: ResourceKey,
    revision: number,
    listener: Listener,
  ): { readonly is: 'watching'; stop(): void } | { readonly is: 'expired' }
}

type StoreOptions = {
  /** The number of changes of a kind that are kept for watches and lists that start in the past. */
  readonly history?: number
  /** Keeps the objects beyond the end of the process. Without it, they are in memory only. */
  readonly data?: Pick<DataDirectory, 'restored' | 'append' | 'compact'> | undefined
}

export function createStore({ history = 2048, data }: StoreOptions = {}): Store {
  const { restored = { revision: 0, objects: [] } } = data ?? {}
  const collections = new Map<ResourceKey, Collection>()
  const collection = (resource: ResourceKey): Collection => collectionOf(collections, resource, history, restored)
  const owners = createOwnerIndex()
  const announce = announcer()
  let { revision } = restored
  for (const { resource, object } of restored.objects) {
    fill(collection(resource), object)
    owners.change(resource, { type: 'ADDED', object, before: undefined })
  }

  /** Keeps a change before it takes effect: what cannot be kept is not committed. */
  const keep = (change: Change): void => {
    data?.compact(() => snapshotOf(collections, revision))
    data?.append(change)
    revision++
  }

  const commit = (resource: ResourceKey, change: Omit<StoreEvent, 'revision'>): void => {
    const event = Object.freeze({ ...change, revision })
    owners.change(resource, event)
    const at = collection(resource)
    for (const index of at.indexes) index.change(event)
    at.events.push(event)
    announce(at, event)
  }

  const put = (resource: ResourceKey, object: StoredObject): StoredObject => {
    const { objects, keys } = collection(resource)
    const key = keyOf(object.metadata.namespace, object.metadata.name)
    const before = objects.get(key)
    const stored = deepFreeze(stamp(object, revision + 1))
    keep({ is: 'put', resource, object: stored })
    if (before === undefined) keys.add(key)
    objects.set(key, stored)
    commit(resource, { type: before === undefined ? 'ADDED' : 'MODIFIED', object: stored, before })
    return stored
  }

  const remove = (resource: ResourceKey, key: string): StoredObject | undefined => {
    const { objects, keys } = collection(resource)
    const before = objects.get(key)
    if (before === undefined) return undefined
    const last = deepFreeze(stamp(before, revision + 1))
    keep({ is: 'remove', resource, key, revision: revision + 1 })
    objects.delete(key)
    keys.remove(key)
    commit(resource, { type: 'DELETED', object: last, before })
    return last
  }

  return {
    revision: () => revision,
    get: (resource, key) => collections.get(resource)?.objects.get(key),
    list: (resource, range = {}) => listNow(collection(resource), range),
    listAt: (resource, at, range = {}) => listAt(collection(resource), at, range),
    indexBy: (resource, valuesOf) => indexBy(collection(resource), valuesOf),
    dependents: (uid) => owners.of(uid).flatMap(({ resource, key }) => collection(resource).objects.get(key) ?? []),
    put,
    remove,
    subscribe: (resource, listener) => listen(collection(resource), listener, revision),
    replay: () => replay(restored, collection),
    watchFrom: (resource, from, listener) => {
      const at = collection(resource)
      return at.events.reaches(from) ? { is: 'watching', stop: listen(at, listener, from) } : { is: 'expired' }
    },
  }
}

function collectionOf(
  collections: Map<ResourceKey, Collection>,
  resource: ResourceKey,
  history: number,
  { revision }: Snapshot,
): Collection {
  const known = collections.get(resource)
  if (known !== undefined) return known
  const made = createCollection(history, revision)
  collections.set(resource, made)
  return made
}

function fill({ objects, keys }: Collection, object: StoredObject): void {
  const key = keyOf(object.metadata.namespace, object.metadata.name)
  keys.add(key)
  objects.set(key, deepFreeze(object))
}

function snapshotOf(collections: ReadonlyMap<ResourceKey, Collection>, revision: number): Snapshot {
  const objects = [...collections].flatMap(([resource, kept]) =>
    [...kept.objects.values()].map((object) => ({ resource, object })),
  )
  return { revision, objects }
}

function replay(restored: Snapshot, collection: (resource: ResourceKey) => Collection): void {
  const { revision } = restored
  for (const { resource, object } of restored.objects) {
    const { objects, subscriptions } = collection(resource)
    // The subscribers know a later change already.
    if (objects.get(keyOf(object.metadata.namespace, object.metadata.name)) !== object) continue
    const event = { type: 'ADDED', object, before: undefined, revision } as const
    for (const { listener } of [...subscriptions]) listener(event)
  }
}

/**
 * Returns a function that delivers events to subscribers. If a listener writes, that event waits its turn, so that all
 * subscribers see all events in order.
 */
function announcer(): (collection: Collection, event: StoreEvent) => void {
  const pending: { readonly collection: Collection; readonly event: StoreEvent }[] = []
  let delivering = false
  return (collection, event) => {
    pending.push({ collection, event })
    if (delivering) return
    delivering = true
    try {
      for (let item = pending.shift(); item !== undefined; item = pending.shift()) {
        for (const subscription of item.collection.subscriptions) deliver(subscription, item.event)
      }
    } finally {
      delivering = false
    }
  }
}

/** Delivers the changes since a revision, then every new one. Returns a function that stops it. */
function listen(collection: Collection, listener: Listener, from: number): () => void {
  const subscription = { listener, seen: from }
  for (
    let event = collection.events.next(from);
    event !== undefined;
    event = collection.events.next(subscription.seen)
  ) {
    deliver(subscription, event)
  }
  collection.subscriptions.add(subscription)
  return () => {
    collection.subscriptions.delete(subscription)
  }
}

function stamp(object: StoredObject, revision: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
