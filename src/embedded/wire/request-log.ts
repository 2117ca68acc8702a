// What was asked of the API server, by whom: the last requests, and exact counts for ever.
import type { Instant } from '../../lib/clock.ts'
import type { Method } from '../../lib/http.ts'

export type LoggedRequest = {
  readonly at: Instant
  /** Empty for a request without a known token. */
  readonly user: string
  readonly method: Method
  readonly path: string
  /** As Kubernetes authorizes it: get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string
  /** `pods`, `pods/status`, `leases.coordination.k8s.io`; empty for paths that are no resource. */
  readonly resource: string
  readonly status: number
}

export interface RequestLog {
  record(request: LoggedRequest): void
  /** The last ones, oldest first. */
  recent(): readonly LoggedRequest[]
  /** Requests so far, failed ones included. */
  count(user: string, verb: string): number
  /** Requests so far that were not a GET (or HEAD), failed ones and dry runs included; of one resource when given. */
  writes(user: string, resource?: string): number
  /** Everyone who asked, with how often by verb. */
  byUser(): ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** @param capacity how many requests are kept in full. */
export function createRequestLog(capacity = 4096): RequestLog {
  const ring: LoggedRequest[] = []
  let next = 0
  const verbs = new Map<string, Map<string, number>>()
  const writes = new Map<string, Map<string, number>>()
  return {
    record: (request) => {
      ring[next] = request
      next = (next + 1) % capacity
      increment(verbs, request.user, request.verb)
      if (request.method !== 'GET' && request.method !== 'HEAD') increment(writes, request.user, request.resource)
    },
    recent: () => (ring.length < capacity ? ring.slice() : [...ring.slice(next), ...ring.slice(0, next)]),
    count: (user, verb) => verbs.get(user)?.get(verb) ?? 0,
    writes: (user, resource) => {
      const counts = writes.get(user)
      if (resource !== undefined) return counts?.get(resource) ?? 0
      return [...(counts?.values() ?? [])].reduce((sum, count) => sum + count, 0)
    },
    byUser: () => verbs,
  }
}

function increment(counts: Map<string, Map<string, number>>, user: string, key: string): void {
  let own = counts.get(user)
  if (!own) {
    own = new Map()
    counts.set(user, own)
  }
  own.set(key, (own.get(key) ?? 0) + 1)
}
