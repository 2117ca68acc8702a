// A call to an API server, as data. The same calls are played on a real cluster and on the embedded one. `$NS` is the
// namespace of the run.
import type { Method } from '@dayfly/kit/http'

export type Call = {
  /** Unique: the recorded answer has the same title. */
  readonly title: string
  readonly method: Method
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** PATCH only: the Content-Type. */
  readonly type?: string
  /** PUT only: sends the current object with these JSON patch operations applied. */
  readonly change?: readonly object[]
  /** Repeats the call until the answer contains this text. Controllers add some fields later. */
  readonly until?: string
  /** Later calls may use the resourceVersion of this list as `$VERSION` in their query. */
  readonly remember?: true
  /** Keeps `metadata.managedFields` of the answer. */
  readonly owners?: true
  /** The number of events to read from a watch. */
  readonly take?: number
}

type Json = Readonly<Record<string, unknown>>

export const namespaced = '/api/v1/namespaces/$NS'
const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

export function post(title: string, path: string, body: unknown, query: Record<string, string> = {}): Call {
  return { title, method: 'POST', path, body, query }
}

/** A POST with dryRun: it stores nothing. */
export function dry(title: string, path: string, body: unknown, query: Record<string, string> = {}): Call {
  return post(title, path, body, { dryRun: 'All', ...query })
}

export function get(title: string, path: string, query: Record<string, string> = {}): Call {
  return { title, method: 'GET', path, query }
}

export function put(title: string, path: string, change: readonly object[]): Call {
  return { title, method: 'PUT', path, change }
}

export function patch(title: string, path: string, type: keyof typeof patchTypes, body: unknown): Call {
  return { title, method: 'PATCH', path, body, type: patchTypes[type] }
}

/** A server-side apply. */
export function apply(title: string, path: string, fieldManager: string, body: Json): Call {
  const type = 'application/apply-patch+yaml'
  return {
    title: `apply: ${title}`,
    ...{ method: 'PATCH', path, body, type, owners: true },
    query: { fieldManager },
  }
}

export function del(title: string, path: string, body?: Json, query: Record<string, string> = {}): Call {
  return { title, method: 'DELETE', path, query, ...(body === undefined ? {} : { body }) }
}

/** A pod that no scheduler handles and that gets no token volume, so that no component changes it. */
export function pod(name: string, spec: Json = {}, container: Json = {}, metadata: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      automountServiceAccountToken: false,
      schedulerName: 'none',
      containers: [{ name: 'main', image: 'busybox:1', ...container }],
      ...spec,
    },
  }
}
