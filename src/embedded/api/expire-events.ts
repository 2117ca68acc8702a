// Removes Events some time after their last write, as kube-apiserver does (--event-ttl).
import { keyOf } from '../store/object.ts'
import type { Api } from './api.ts'

/** kube-apiserver's default. */
export const defaultEventTtlMs = 3_600_000

/** Removes expired Events whenever an Event is written. No timer runs for them. */
export function expireEvents(api: Api, ttlMs: number): void {
  /** The time of each Event's last write. */
  const written = new Map<string, number>()
  /** All writes, oldest first. An Event that was written again has several. The first `expired` of them are done. */
  let writes: { readonly key: string; readonly at: number }[] = []
  let expired = 0
  api.store.subscribe('events', ({ type, object: { metadata } }) => {
    const key = keyOf(metadata.namespace, metadata.name)
    if (type === 'DELETED') return void written.delete(key)
    const now = api.clock.now()
    written.set(key, now)
    writes.push({ key, at: now })
    for (let oldest = writes[expired]; oldest && oldest.at <= now - ttlMs; oldest = writes[expired]) {
      expired++
      if (written.get(oldest.key) === oldest.at) api.store.remove('events', oldest.key)
    }
    if (expired <= writes.length / 2) return
    writes = writes.slice(expired)
    expired = 0
  })
}
