// The state of one kind: its objects, their order, its recent changes and its listeners.
import { createEventRing, type EventRing, type StoreEvent } from './event-ring.ts'
import { keyOf, type StoredObject } from './object.ts'
import { createSortedKeys, type SortedKeys } from './sorted-keys.ts'
import { createValueIndex, type ValueIndex } from './value-index.ts'

export type Listener = (event: StoreEvent) => void

/** `seen` is the last revision that the listener received. No event is delivered twice. */
type Subscription = { readonly listener: Listener; seen: number }

export type Collection = {
  readonly objects: Map<string, StoredObject>
  readonly keys: SortedKeys
  readonly events: EventRing
  readonly subscriptions: Set<Subscription>
  readonly indexes: ValueIndex[]
}

export type ListRange = {
  readonly namespace?: string | undefined
  /** Only objects after this key. */
  readonly after?: string | undefined
}

/** @param oldest the revision before which no change is known. */
export function createCollection(history: number, oldest: number): Collection {
  return {
    objects: new Map(),
    keys: createSortedKeys(),
    events: createEventRing(history, oldest),
    subscriptions: new Set(),
    indexes: [],
  }
}

export function deliver(subscription: Subscription, event: StoreEvent): void {
  if (event.revision <= subscription.seen) return
  subscription.seen = event.revision
  subscription.listener(event)
}

export function listNow(collection: Collection, range: ListRange): readonly StoredObject[] {
  return objectsOf(collection.keys.from(prefixOf(range), range.after), collection.objects)
}

/** Indexes the objects of the collection. Returns a function that lists those with one value. */
export function indexBy(
  collection: Collection,
  valuesOf: (object: StoredObject) => readonly string[],
): (value: string, range: ListRange) => readonly StoredObject[] {
  const { indexes, objects } = collection
  const index = createValueIndex(valuesOf)
  for (const object of objects.values()) index.change({ type: 'ADDED', object, before: undefined })
  indexes.push(index)
  return (value, range) => {
    const prefix = prefixOf(range)
    const { after = '' } = range
    const keys = index.keysOf(value).filter((key) => key.startsWith(prefix) && key > after)
    return objectsOf(keys, objects)
  }
}

/**
 * Returns the list as it was at a revision: undoes the changes since then, newest first. Undefined if the ring no
 * longer covers them.
 */
export function listAt(
  collection: Collection,
  revision: number,
  range: ListRange,
): readonly StoredObject[] | undefined {
  if (!collection.events.reaches(revision)) return undefined
  const prefix = prefixOf(range)
  const then = new Map<string, StoredObject>()
  for (const key of collection.keys.from(prefix, range.after)) {
    const object = collection.objects.get(key)
    if (object !== undefined) then.set(key, object)
  }
  for (const { object, before } of collection.events.newest(revision)) {
    const key = keyOf(object.metadata.namespace, object.metadata.name)
    if (!key.startsWith(prefix) || (range.after !== undefined && key <= range.after)) continue
    if (before === undefined) then.delete(key)
    else then.set(key, before)
  }
  return objectsOf([...then.keys()].sort(), then)
}

function prefixOf(range: ListRange): string {
  return range.namespace === undefined || range.namespace === '' ? '' : `${range.namespace}/`
}

function objectsOf(keys: readonly string[], objects: ReadonlyMap<string, StoredObject>): readonly StoredObject[] {
  const found: StoredObject[] = []
  for (const key of keys) {
    const object = objects.get(key)
    if (object !== undefined) found.push(object)
  }
  return found
}
