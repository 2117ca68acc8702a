// Removes Events some time after their last write, as kube-apiserver does (--event-ttl).
import { keyOf } from '../store/object.ts'
import type { Api } from './api.ts'

/** kube-apiserver's default. */
export const defaultEventTtlMs = 3_600_000

/** Removes expired Events whenever an Event is written. No timer runs for them. */
export function expireEvents(api: Api, ttlMs: number): void {
  /** All writes, oldest first. The first `expired` of them are done. */
  let writes: { readonly key: string; readonly version: string | undefined; readonly at: number }[] = []
  let expired = 0
  api.store.subscribe('events', ({ type, object: { metadata } }) => {
    if (type === 'DELETED') return
    const now = api.clock.now()
    writes.push({ key: keyOf(metadata.namespace, metadata.name), version: metadata.resourceVersion, at: now })
    for (let oldest = writes[expired]; oldest && oldest.at <= now - ttlMs; oldest = writes[expired]) {
      expired++
      // An Event that was written again has another version, and a later place in the list.
      const isLast = api.store.get('events', oldest.key)?.metadata.resourceVersion === oldest.version
      if (isLast) api.store.remove('events', oldest.key)
    }
    if (expired <= writes.length / 2) return
    writes = writes.slice(expired)
    expired = 0
  })
}
