// Removes Events some time after their last write, as kube-apiserver does (--event-ttl).
import { keyOf } from '../store/object.ts'
import type { Api } from './api.ts'

/** kube-apiserver's default. */
export const defaultEventTtlMs = 3_600_000

/** Removes expired Events whenever an Event is written. No timer runs for them. */
export function expireEvents(api: Api, ttlMs: number): void {
  /** The time of each Event's last write, oldest first. */
  const written = new Map<string, number>()
  api.store.subscribe('events', ({ type, object: { metadata } }) => {
    const key = keyOf(metadata.namespace, metadata.name)
    written.delete(key)
    if (type === 'DELETED') return
    const now = api.clock.now()
    written.set(key, now)
    for (const [oldest, at] of written) {
      if (at > now - ttlMs) break
      written.delete(oldest)
      api.store.remove('events', oldest)
    }
  })
}
