// The state of one kind: its objects, their order, its recent changes and its listeners.
import type { StoredObject } from '../api/object.ts'
import type { StoreEvent } from '../api/registry.ts'
import { createEventRing, type EventRing } from './events.ts'
import { keyOf } from './key.ts'
import { createSortedKeys, type SortedKeys } from './sorted-keys.ts'

export type Listener = (event: StoreEvent) => void

/** `seen` is the last revision that the listener received. No event is delivered twice. */
export type Subscription = { readonly listener: Listener; seen: number }

export type Shelf = {
  readonly objects: Map<string, StoredObject>
  readonly keys: SortedKeys
  readonly events: EventRing
  readonly subscriptions: Set<Subscription>
}

export type ListRange = {
  readonly namespace?: string | undefined
  /** Only objects after this key. */
  readonly after?: string | undefined
}

export function createShelf(history: number): Shelf {
  return {
    objects: new Map(),
    keys: createSortedKeys(),
    events: createEventRing(history),
    subscriptions: new Set(),
  }
}

export function deliver(subscription: Subscription, event: StoreEvent): void {
  if (event.revision <= subscription.seen) return
  subscription.seen = event.revision
  subscription.listener(event)
}

export function listNow(shelf: Shelf, range: ListRange): readonly StoredObject[] {
  return present(shelf.keys.from(prefixOf(range), range.after), shelf.objects)
}

/**
 * Returns the list as it was at a revision: undoes the changes since then, newest first. Undefined if the ring no
 * longer covers them.
 */
export function listThen(shelf: Shelf, revision: number, range: ListRange): readonly StoredObject[] | undefined {
  if (!shelf.events.reaches(revision)) return undefined
  const prefix = prefixOf(range)
  const then = new Map<string, StoredObject>()
  for (const key of shelf.keys.from(prefix, range.after)) {
    const object = shelf.objects.get(key)
    if (object !== undefined) then.set(key, object)
  }
  for (const { object, before } of shelf.events.newest(revision)) {
    const key = keyOf(object.metadata.namespace, object.metadata.name)
    if (!key.startsWith(prefix) || (range.after !== undefined && key <= range.after)) continue
    if (before === undefined) then.delete(key)
    else then.set(key, before)
  }
  return present([...then.keys()].sort(), then)
}

function prefixOf(range: ListRange): string {
  return range.namespace === undefined || range.namespace === '' ? '' : `${range.namespace}/`
}

function present(keys: readonly string[], objects: ReadonlyMap<string, StoredObject>): readonly StoredObject[] {
  const found: StoredObject[] = []
  for (const key of keys) {
    const object = objects.get(key)
    if (object !== undefined) found.push(object)
  }
  return found
}
