// Shows the objects of one kind as another kind with other field names. Both are the same objects with the same revisions.
import type { Listener } from './collection.ts'
import type { StoreEvent } from './event-ring.ts'
import { deepFreeze, type ResourceKey, type StoredObject } from './object.ts'
import type { Store } from './store.ts'

export type Projection = {
  readonly resource: ResourceKey
  /** The kind that is stored. */
  readonly of: ResourceKey
  /** Returns the stored object in the other form. */
  readonly show: (object: StoredObject) => StoredObject
  /** The inverse of `show`. */
  readonly hide: (object: StoredObject) => StoredObject
}

/** Returns the store with one more kind, which keeps nothing of its own. */
export function withProjection(store: Store, projection: Projection): Store {
  const { of } = projection
  const isShown = (resource: ResourceKey): boolean => resource === projection.resource
  const stored = (resource: ResourceKey): ResourceKey => (isShown(resource) ? of : resource)
  // All readers share one shown object, as they share the stored one.
  const known = new WeakMap<StoredObject, StoredObject>()
  const show = (object: StoredObject): StoredObject => {
    const shown = known.get(object) ?? deepFreeze(projection.show(object))
    known.set(object, shown)
    return shown
  }
  const shownAs = <T extends StoredObject | undefined>(resource: ResourceKey, object: T): T =>
    object === undefined || !isShown(resource) ? object : (show(object) as T)
  const all = <T extends readonly StoredObject[] | undefined>(resource: ResourceKey, objects: T): T =>
    objects === undefined || !isShown(resource) ? objects : (objects.map(show) as readonly StoredObject[] as T)
  const listener = (resource: ResourceKey, given: Listener): Listener =>
    isShown(resource) ? (event) => given(shownEvent(event, show)) : given
  return {
    revision: store.revision,
    dependents: store.dependents,
    get: (resource, key) => shownAs(resource, store.get(stored(resource), key)),
    list: (resource, range) => all(resource, store.list(stored(resource), range)),
    listAt: (resource, revision, range) => all(resource, store.listAt(stored(resource), revision, range)),
    put: (resource, object) =>
      shownAs(resource, store.put(stored(resource), isShown(resource) ? projection.hide(object) : object)),
    remove: (resource, key) => shownAs(resource, store.remove(stored(resource), key)),
    replay: store.replay,
    subscribe: (resource, given) => store.subscribe(stored(resource), listener(resource, given)),
    watchFrom: (resource, revision, given) => store.watchFrom(stored(resource), revision, listener(resource, given)),
  }
}

function shownEvent(event: StoreEvent, show: (object: StoredObject) => StoredObject): StoreEvent {
  return { ...event, object: show(event.object), before: event.before && show(event.before) }
}
