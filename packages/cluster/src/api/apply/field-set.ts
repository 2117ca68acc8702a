// Sets of fields, as `managedFields` stores them (FieldsV1). A set is a tree. An element of a path is a field (`f:name`), a
// list item by its keys (`k:{"name":"x"}`), or a list item by its value (`v:"x"`). `.` marks that the place itself belongs
// to the set.
// Source: https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/fieldpath/serialize-pe.go
import { isObject, type JsonObject } from '../values/json.ts'

export type FieldSet = {
  readonly member: boolean
  readonly children: ReadonlyMap<string, FieldSet>
}

export const emptySet: FieldSet = { member: false, children: new Map() }
export const leafSet: FieldSet = { member: true, children: new Map() }

/** Returns the set, without children that contain nothing. */
export function fieldSet(member: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  let kept: Map<string, FieldSet> | undefined
  for (const [element, child] of children) {
    if (isEmptySet(child)) continue
    kept ??= new Map()
    kept.set(element, child)
  }
  if (kept === undefined) return member ? leafSet : emptySet
  return { member, children: kept }
}

export function isEmptySet({ member, children }: FieldSet): boolean {
  return !member && children.size === 0
}

/** Returns the first set itself if the other one adds nothing: who keeps sets sees what changed. */
export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (one === other || isEmptySet(other)) return one
  if (isEmptySet(one)) return other
  let children: Map<string, FieldSet> | undefined
  for (const [element, more] of other.children) {
    const child = one.children.get(element)
    const both = child === undefined ? more : union(child, more)
    if (both === child) continue
    children ??= new Map(one.children)
    children.set(element, both)
  }
  const member = one.member || other.member
  return children === undefined && member === one.member ? one : { member, children: children ?? one.children }
}

/** Returns the union of many sets. It looks at each of their places once. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first = emptySet] = sets
  if (sets.length < 2) return first
  const parts = new Map<string, FieldSet[]>()
  for (const set of sets) {
    for (const [element, child] of set.children) {
      const known = parts.get(element)
      if (known === undefined) parts.set(element, [child])
      else known.push(child)
    }
  }
  const children = new Map([...parts].map(([element, same]) => [element, unionOf(same)] as const))
  return { member: sets.some((set) => set.member), children }
}

export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  return fieldSet(
    one.member && other.member,
    [...one.children].map(([element, child]) => [
      element,
      intersection(child, other.children.get(element) ?? emptySet),
    ]),
  )
}

/** Returns the first set itself if the other one has none of its places. */
export function difference(one: FieldSet, other: FieldSet): FieldSet {
  let children: Map<string, FieldSet> | undefined
  for (const [element, gone] of other.children) {
    const child = one.children.get(element)
    const rest = child === undefined ? undefined : difference(child, gone)
    if (rest === undefined || rest === child) continue
    children ??= new Map(one.children)
    if (isEmptySet(rest)) children.delete(element)
    else children.set(element, rest)
  }
  const member = one.member && !other.member
  return children === undefined && member === one.member ? one : { member, children: children ?? one.children }
}

/** Returns the first set without the places of the second one and everything below them. */
export function without(one: FieldSet, places: FieldSet): FieldSet {
  if (places.member) return emptySet
  if (places.children.size === 0) return one
  return fieldSet(
    one.member,
    [...one.children].map(([element, child]) => [element, without(child, places.children.get(element) ?? emptySet)]),
  )
}

export function sameSet(one: FieldSet, other: FieldSet): boolean {
  return one === other || (isEmptySet(difference(one, other)) && isEmptySet(difference(other, one)))
}

/** Returns the paths of all members, each as the elements from the root. */
export function pathsOf(set: FieldSet, base: readonly string[] = []): readonly (readonly string[])[] {
  const below = sorted(set).flatMap(([element, child]) => pathsOf(child, [...base, element]))
  return set.member ? [base, ...below] : below
}

/** Prints a path as conflict messages do: `.spec.containers[name="x"].image`. */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join('')
}

function printElement(element: string): string {
  const rest = element.slice(2)
  if (element.startsWith('f:')) return `.${rest}`
  if (element.startsWith('v:')) return `[=${rest}]`
  if (!element.startsWith('k:')) return `[${rest}]`
  const keys: unknown = JSON.parse(rest)
  const parts = Object.entries(isObject(keys) ? keys : {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `[${parts.join(',')}]`
}

/** Returns the set as `fieldsV1`. */
export function printSet(set: FieldSet): JsonObject {
  const printed: Record<string, unknown> = {}
  if (set.member && set.children.size > 0) printed['.'] = printedLeaf
  for (const [element, child] of sorted(set)) printed[element] = child.children.size > 0 ? printSet(child) : printedLeaf
  return printed
}

/** Most places of a set are leaves. */
const printedLeaf: JsonObject = Object.freeze({})

/** Reads `fieldsV1`. Returns undefined if the value is not a set of fields. */
export function readSet(value: unknown): FieldSet | undefined {
  if (!isObject(value)) return undefined
  const children = new Map<string, FieldSet>()
  for (const [element, inner] of Object.entries(value)) {
    if (element === '.') continue
    if (!isElement(element)) return undefined
    const child = readSet(inner)
    if (child === undefined) return undefined
    children.set(element, child.children.size === 0 ? leafSet : child)
  }
  return { member: Object.hasOwn(value, '.'), children }
}

function isElement(element: string): boolean {
  if (element.startsWith('f:') || /^i:\d+$/.test(element)) return true
  if (!/^[kv]:/.test(element)) return false
  try {
    const value: unknown = JSON.parse(element.slice(2))
    return element.startsWith('v:') || isObject(value)
  } catch {
    return false
  }
}

function sorted(set: FieldSet): readonly (readonly [string, FieldSet])[] {
  return [...set.children].sort(([one], [other]) => (one < other ? -1 : 1))
}
