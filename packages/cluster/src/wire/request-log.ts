// The requests to the API server by user: the most recent ones, and exact counts since the start.
import type { Instant } from '@dayfly/kit/clock'
import type { Method } from '@dayfly/kit/http'

export type LoggedRequest = {
  readonly at: Instant
  /** Empty if the request had no known token. */
  readonly user: string
  readonly method: Method
  readonly path: string
  /**
   * The verb that Kubernetes authorizes: get, list, watch, create, update, patch, delete, deletecollection. For other
   * paths, the method in lower case.
   */
  readonly verb: string
  /** `pods`, `pods/status`, `leases.coordination.k8s.io`. Empty for paths that are not resources. */
  readonly resource: string
  readonly status: number
}

export interface RequestLog {
  record(request: LoggedRequest): void
  /** Returns the most recent requests, oldest first. */
  recent(): readonly LoggedRequest[]
  /** Returns the number of requests so far, including failed ones. */
  count(user: string, verb: string): number
  /**
   * Returns the number of requests so far other than GET and HEAD, including failed ones and dry runs. Counts one
   * resource if given.
   */
  writes(user: string, resource?: string): number
}

/** @param capacity the number of requests that are kept. */
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
