// A watch: the changes of one kind as a stream, filtered by namespace and selector.
import type { Clock, Timer } from '@dayfly/kit/clock'
import { type Channel, channel } from '@dayfly/kit/queue'
import { expired } from '../api/errors.ts'
import type { Registry } from '../api/registry.ts'
import type { StoreEvent } from '../store/event-ring.ts'
import type { ResourceKey, StoredObject } from '../store/object.ts'

export type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: unknown
}

/** The metadata of a bookmark. */
type BookmarkMetadata = {
  readonly resourceVersion: string
  readonly annotations?: Readonly<Record<string, string>>
}

export type Watch = {
  readonly resource: ResourceKey
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined
  readonly matches: (object: StoredObject) => boolean
  /** `initial`: sends the current objects first, each as ADDED. A number: sends the changes after that revision. */
  readonly start: 'initial' | 'now' | number
  /** A bookmark marks the end of the initial events (`k8s.io/initial-events-end`). */
  readonly marksInitialEnd: boolean
  /** Sends a bookmark every minute. */
  readonly bookmarks: boolean
  /** The stream ends after this many milliseconds. */
  readonly timeoutMs: number
  /** Returns the object in the form that this client accepts. */
  readonly shape: (object: StoredObject) => unknown
  readonly bookmark: (metadata: BookmarkMetadata) => unknown
}

/** Kubernetes sends a bookmark about once a minute. */
const bookmarkMs = 60_000
/** A client that falls this many events behind is disconnected. It then lists again or resumes. */
const backlogMax = 10_000

/** Starts a watch. It ends with the signal, at the time limit, or when the client falls behind. */
export function watchEvents(
  source: { readonly registry: Registry; readonly clock: Clock },
  watch: Watch,
  signal: AbortSignal | undefined,
): AsyncIterable<WatchEvent> {
  const undo: (() => void)[] = []
  const stop = (): void => {
    for (const step of undo.splice(0)) step()
    events.close()
  }
  const events = channel<WatchEvent>(stop)
  if (!startStream(source.registry, watch, { events, stop, undo })) {
    events.close()
    return events
  }
  const timer = source.clock.after(watch.timeoutMs, stop)
  undo.push(() => timer.cancel())
  if (watch.bookmarks) undo.push(sendBookmarks(source, watch, events))
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  undo.push(() => signal?.removeEventListener('abort', stop))
  return events
}

type Stream = { readonly events: Channel<WatchEvent>; readonly stop: () => void; readonly undo: (() => void)[] }

/**
 * Starts the stream. Returns false if the watch cannot start at that revision; the stream then contains the error. No
 * change can be missed between the initial events and the subscription, because both are synchronous.
 */
function startStream(registry: Registry, watch: Watch, { events, stop, undo }: Stream): boolean {
  const { resource, namespace, start } = watch
  if (start === 'initial') {
    for (const object of registry.list(resource, namespace)) {
      if (watch.matches(object)) events.push({ type: 'ADDED', object: watch.shape(object) })
    }
    if (watch.marksInitialEnd) {
      const annotations = { 'k8s.io/initial-events-end': 'true' }
      const resourceVersion = String(registry.revision())
      events.push({ type: 'BOOKMARK', object: watch.bookmark({ resourceVersion, annotations }) })
    }
  }
  const limit = events.size + backlogMax
  const listener = (event: StoreEvent): void => {
    const seen = filteredEvent(watch, event)
    if (seen) events.push(seen)
    if (events.size > limit) stop()
  }
  if (typeof start !== 'number') {
    undo.push(registry.subscribe(resource, listener))
    return true
  }
  const begun =
    start > registry.revision() ? ({ is: 'expired' } as const) : registry.watchFrom(resource, start, listener)
  if (begun.is === 'watching') undo.push(begun.stop)
  else events.push({ type: 'ERROR', object: tooOld(start, registry.revision()).status })
  return begun.is === 'watching'
}

/**
 * Returns the event as this watch sees it. An object that leaves the selector is DELETED, in its last matching state.
 * One that enters it is ADDED.
 */
function filteredEvent(watch: Watch, event: StoreEvent): WatchEvent | undefined {
  const { object, before, type } = event
  if (watch.namespace !== undefined && object.metadata.namespace !== watch.namespace) return undefined
  const was = before !== undefined && watch.matches(before)
  if (type === 'DELETED') return was ? { type, object: watch.shape(object) } : undefined
  const is = watch.matches(object)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: watch.shape(object) }
  return was ? { type: 'DELETED', object: watch.shape(atRevision(before, event.revision)) } : undefined
}

function atRevision(object: StoredObject, revision: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

function sendBookmarks(
  { registry, clock }: { readonly registry: Registry; readonly clock: Clock },
  watch: Watch,
  events: Channel<WatchEvent>,
): () => void {
  let timer: Timer
  const arm = (): void => {
    timer = clock.after(bookmarkMs, () => {
      events.push({ type: 'BOOKMARK', object: watch.bookmark({ resourceVersion: String(registry.revision()) }) })
      arm()
    })
  }
  arm()
  return () => timer.cancel()
}

/**
 * Returns the 410. It also applies to a future revision: only a client of another server can ask for one, and it must
 * list again.
 */
function tooOld(asked: number, now: number): Error & { readonly status: object } {
  return expired(`too old resource version: ${asked} (${now})`)
}
