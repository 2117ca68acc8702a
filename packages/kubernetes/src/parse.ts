// Checks the API server's answers as far as this client relies on them, and gives them types.
import { asJsonObject } from '@dayfly/kit/read-json'
import type { KubeObject, Resource } from './types.ts'

/** A page of a list: its objects without further checks, and the token of the next page. */
export type ListPage = {
  readonly items: readonly unknown[]
  readonly resourceVersion: string
  /** Empty on the last page. */
  readonly next: string
}

/** The Status object with which Kubernetes refuses a request. Missing fields are empty. */
export type Status = {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly detailsName: string
  readonly retryAfterSeconds: number | undefined
  readonly causes: readonly { readonly reason: string; readonly field: string; readonly message: string }[]
}

/** Returns the object, or undefined if it has no name. Adds apiVersion and kind, which the items of a list lack. */
export function parseObject(value: unknown, resource: Resource): KubeObject | undefined {
  const object = asJsonObject(value)
  if (typeof asJsonObject(object?.['metadata'])?.['name'] !== 'string') return undefined
  const typed = object as KubeObject
  if (typed.apiVersion && typed.kind) return typed
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
  // Lists have thousands of items, and a spread followed by new fields takes ten times as long.
  return Object.assign({ apiVersion, kind: resource.kind }, typed)
}

/** Returns the page, or undefined if the value is not a list with a resourceVersion. Such an answer does not prove that the list is empty. */
export function parseList(value: unknown): ListPage | undefined {
  const list = asJsonObject(value)
  const metadata = asJsonObject(list?.['metadata'])
  const resourceVersion = metadata?.['resourceVersion']
  if (typeof resourceVersion !== 'string' || resourceVersion === '') return undefined
  const items = list?.['items'] ?? []
  if (!Array.isArray(items)) return undefined
  const next = metadata?.['continue']
  return { items, resourceVersion, next: typeof next === 'string' ? next : '' }
}

export function parseStatus(value: unknown): Status | undefined {
  const status = asJsonObject(value)
  if (status?.['kind'] !== 'Status') return undefined
  const details = asJsonObject(status['details'])
  const causes = Array.isArray(details?.['causes']) ? details['causes'] : []
  const seconds = details?.['retryAfterSeconds']
  return {
    code: typeof status['code'] === 'number' ? status['code'] : 0,
    reason: text(status['reason']),
    message: text(status['message']),
    detailsName: text(details?.['name']),
    retryAfterSeconds: typeof seconds === 'number' && seconds > 0 ? seconds : undefined,
    causes: causes.map((cause: unknown) => {
      const { reason, field, message } = asJsonObject(cause) ?? {}
      return { reason: text(reason), field: text(field), message: text(message) }
    }),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
