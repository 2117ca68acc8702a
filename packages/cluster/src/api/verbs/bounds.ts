// Bounds what one write may contain, so that no request keeps the API server busy for longer than a second.
import type { StoredObject } from '../../store/object.ts'
import { ApiError, badRequest, tooLarge } from '../errors.ts'
import type { Kind } from '../kind.ts'
import type { RegistryWrite } from '../registry.ts'
import { isObject } from '../values/json.ts'

/** The deepest nesting of an object or a patch. Later steps walk objects by recursion. */
export const depthMax = 500
/**
 * The most objects that one object of a built-in kind may contain. Kubernetes has no such number. It refuses a pod of
 * 11,000 containers because it is too large to store, and works for minutes on larger ones before it ends the request.
 */
const objectsMax = 5_000
/** The most values of any type in one object of a built-in kind. */
const valuesMax = 50_000
/**
 * The most values in one object of a custom kind, and in a definition. Generated definitions have up to 100,000.
 */
const customValuesMax = 120_000
/** etcd's limit of one request. Source: https://etcd.io/docs/v3.6/dev-guide/limit/ */
const storedMax = 1.5 * 1024 * 1024

/** The write, and what its refusal says before the reason. */
type Asked = { readonly write: Pick<RegistryWrite, 'client'>; readonly prefix: string }

type Count = { readonly most: number; objects: number; values: number; tooDeep: boolean }

/**
 * Refuses a value of the kind, or a patch of one, that contains too much.
 * Clients alone are bounded: the kubelet adds a status to each container of a pod, and what it keeps is bounded already.
 */
export function refuseHuge(kind: Kind, value: unknown, { write, prefix }: Asked): void {
  if (write.client === undefined) return
  const isBuiltIn = !kind.custom && kind.resource !== 'customresourcedefinitions.apiextensions.k8s.io'
  const most = isBuiltIn ? valuesMax : customValuesMax
  const count: Count = { most, objects: 0, values: 0, tooDeep: false }
  add(count, value, 0)
  if (count.tooDeep) throw badRequest(`${prefix}: json: exceeded max depth`)
  if (count.values > most) throw tooLarge(`the embedded cluster accepts at most ${most} values in one object`)
  if (isBuiltIn && count.objects > objectsMax) {
    throw tooLarge(`the embedded cluster accepts at most ${objectsMax} objects inside one object`)
  }
}

/** Counts what a value contains, and stops beyond the limit. The owners of fields are no objects of their own. */
function add(count: Count, value: unknown, depth: number): void {
  count.values++
  if (typeof value !== 'object' || value === null || count.values > count.most) return
  if (depth >= depthMax) {
    count.tooDeep = true
    return
  }
  if (Array.isArray(value)) {
    for (const item of value) add(count, item, depth + 1)
    return
  }
  count.objects++
  for (const name in value) {
    const { objects } = count
    add(count, (value as Record<string, unknown>)[name], depth + 1)
    if (name === 'managedFields') count.objects = objects
  }
}

/**
 * Refuses to store an object that etcd refuses. The answer has no reason, as in Kubernetes. Custom kinds are stored as
 * JSON, built-in ones in a shorter form, whose size is estimated from below.
 */
export function refuseTooLarge(kind: Kind, object: StoredObject): void {
  const left = { bytes: storedMax }
  take(left, object, kind.custom ? 0 : 1)
  if (left.bytes < 0) throw new ApiError(500, undefined, 'etcdserver: request is too large')
}

/** @param short 1 if the names of fields are not stored. The owners of fields are always stored as JSON. */
function take(left: { bytes: number }, value: unknown, short: 0 | 1): void {
  if (left.bytes < 0) return
  if (typeof value === 'string') left.bytes -= value.length + 2
  else if (typeof value !== 'object' || value === null) left.bytes -= short === 1 ? 2 : 4
  else if (Array.isArray(value)) for (const item of value) take(left, item, short)
  else if (isObject(value)) {
    left.bytes -= 2
    for (const name in value) {
      if (short === 0) left.bytes -= name.length + 4
      take(left, value[name], name === 'fieldsV1' ? 0 : short)
    }
  }
}
