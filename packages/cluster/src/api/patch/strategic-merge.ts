// Strategic merge patch. Lists merge by the merge key of their field. Directives control the rest: $patch, $retainKeys,
// $setElementOrder, $deleteFromPrimitiveList.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
import { badRequest } from '../errors.ts'
import { type Field, type FieldType, type Struct, structOf } from '../fields/fields.ts'
import { isObject, type JsonObject } from '../values/json.ts'
import { inOrder, sameOrder } from './element-order.ts'

const deletePrefix = '$deleteFromPrimitiveList/'
const orderPrefix = '$setElementOrder'

/** @param struct the type of the document. If undefined, its lists are replaced, not merged. */
export function applyStrategicMerge(document: JsonObject, patch: JsonObject, struct: Struct | undefined): JsonObject {
  const directive = patch['$patch']
  if (directive === 'replace') return without(patch, '$patch')
  if (directive === 'delete') return {}
  if (directive !== undefined)
    throw badRequest(`unknown patch type: ${shown(directive)} in map: ${JSON.stringify(patch)}`)
  const merged: Record<string, unknown> = applyRetainKeys(document, patch)
  const handled = mergeOrdered(merged, patch, struct)
  for (const [name, value] of Object.entries(patch)) {
    if (name === '$retainKeys' || name === '__proto__' || handled.has(name)) continue
    const deletes = name.startsWith(deletePrefix)
    const field = deletes ? name.slice(deletePrefix.length) : name
    if (value === null) delete merged[field]
    else mergeField(merged, field, value, { field: struct?.fields.get(field), deletes })
  }
  return merged
}

type Merging = { readonly field: Field | undefined; readonly deletes: boolean }

function mergeField(merged: Record<string, unknown>, name: string, value: unknown, merging: Merging): void {
  const before = merged[name]
  if (isObject(before) && isObject(value)) {
    merged[name] = applyStrategicMerge(before, value, innerStruct(merging.field?.type))
  } else if (Array.isArray(before) && Array.isArray(value)) {
    merged[name] = mergeList(before, value, merging)
  } else if (!merging.deletes) {
    const { kept, value: clean } = withoutDirectives(value)
    if (kept) merged[name] = clean
    else delete merged[name]
  }
}

function mergeList(before: readonly unknown[], patch: readonly unknown[], merging: Merging): readonly unknown[] {
  const { field, deletes } = merging
  if (!deletes && field?.merge?.strategies.includes('merge') !== true) return patch
  if (before.length === 0 && patch.length === 0) return before
  if (deletes) {
    const gone = new Set(patch)
    return before.filter((item) => !gone.has(item))
  }
  const items = [...before, ...patch]
  if (items.some(Array.isArray)) throw badRequest('lists of lists are not supported')
  if (!items.some(isObject)) return inOrder([...new Set(items)], { order: patch, live: before, key: undefined })
  const key = field?.merge?.key
  if (key === undefined) throw badRequest(`cannot merge lists without merge key for ${field?.name ?? 'the list'}`)
  const struct = field?.type.is === 'list' ? innerStruct(field.type.of) : undefined
  const { live, changes } = withoutSpecialElements(objects(before), objects(patch), key)
  const merged = [...live]
  const places = new Map<unknown, number>()
  for (const [index, item] of merged.entries()) if (!places.has(item[key])) places.set(item[key], index)
  for (const change of changes) {
    const named = keyOf(change, key)
    const at = places.get(named)
    const found = at === undefined ? undefined : merged[at]
    if (at === undefined || found === undefined) places.set(named, merged.push(change) - 1)
    else merged[at] = applyStrategicMerge(found, change, struct)
  }
  return inOrder(merged, { order: changes, live, key })
}

/** Applies the elements with a $patch directive and separates them from the list's own elements. */
function withoutSpecialElements(
  before: readonly JsonObject[],
  patch: readonly JsonObject[],
  key: string,
): { readonly live: readonly JsonObject[]; readonly changes: readonly JsonObject[] } {
  const gone = new Set<unknown>()
  let replaces = false
  for (const item of patch) {
    const directive = item['$patch']
    if (directive === 'delete') gone.add(keyOf(item, key))
    else if (directive === 'replace') replaces = true
    else if (directive === 'merge') throw badRequest('merging lists cannot yet be specified in the patch')
    else if (directive !== undefined) {
      throw badRequest(`unknown patch type: ${shown(directive)} in map: ${JSON.stringify(item)}`)
    }
  }
  const live = replaces ? [] : before.filter((item) => !gone.has(item[key]))
  return { live, changes: patch.filter((item) => item['$patch'] === undefined) }
}

/**
 * Merges the lists that have a $setElementOrder and puts them in that order. Returns the names of the fields it
 * handled.
 */
function mergeOrdered(merged: Record<string, unknown>, patch: JsonObject, struct: Struct | undefined): Set<string> {
  const handled = new Set<string>()
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(orderPrefix)) continue
    const name = directive.slice(orderPrefix.length + 1)
    const field = struct?.fields.get(name)
    const key = field?.merge?.key
    const change = patch[name]
    const live = merged[name]
    handled.add(directive).add(name)
    const isList = (value: unknown): boolean => value === undefined || Array.isArray(value)
    if (name === '' || !Array.isArray(order) || !isList(change) || !isList(live)) {
      throw badRequest('invalid patch format of setElementOrder list')
    }
    if (Array.isArray(change) && !sameOrder(change, order, key)) {
      const lists = `${JSON.stringify(change)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}`
      throw badRequest(`The order in patch list:\n${lists}\n`)
    }
    if (change === undefined && live === undefined) continue
    if (Array.isArray(change)) mergeField(merged, name, change, { field, deletes: false })
    const list = merged[name]
    if (Array.isArray(list)) merged[name] = inOrder(list, { order, live: Array.isArray(live) ? live : [], key })
  }
  return handled
}

/** Applies $retainKeys: drops all fields of the document that it does not name. */
function applyRetainKeys(document: JsonObject, patch: JsonObject): Record<string, unknown> {
  const keys = patch['$retainKeys']
  if (keys === undefined) return { ...document }
  if (!Array.isArray(keys)) throw badRequest('invalid patch format of retainKeys')
  const kept = new Set<unknown>(keys)
  for (const [name, value] of Object.entries(patch)) {
    const names = value === null || name.startsWith('$')
    if (!names && !kept.has(name)) throw badRequest('invalid patch format of retainKeys')
  }
  return Object.fromEntries(Object.entries(document).filter(([name]) => kept.has(name)))
}

/** Removes directives and nulls from a value that the patch adds as a whole. */
function withoutDirectives(value: unknown): { readonly kept: boolean; readonly value: unknown } {
  if (Array.isArray(value)) {
    const items = value.map(withoutDirectives).filter((item) => item.kept)
    return { kept: true, value: items.map((item) => item.value) }
  }
  if (!isObject(value)) return { kept: true, value }
  if (value['$patch'] !== undefined) return { kept: false, value: undefined }
  const clean: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    const inner = withoutDirectives(item)
    if (item !== null && inner.kept && name !== '__proto__') clean[name] = inner.value
  }
  return { kept: true, value: clean }
}

function innerStruct(type: FieldType | undefined): Struct | undefined {
  return type?.is === 'struct' ? structOf(type.struct) : undefined
}

function objects(list: readonly unknown[]): readonly JsonObject[] {
  return list.map((item) => {
    if (!isObject(item)) throw badRequest('invalid patch: a list of objects contains another value')
    return item
  })
}

function keyOf(item: JsonObject, key: string): unknown {
  const value = item[key]
  if (value === undefined) throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`)
  return value
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = object
  return rest
}

function shown(directive: unknown): string {
  return typeof directive === 'string' ? directive : JSON.stringify(directive)
}
