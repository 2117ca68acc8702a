// The operations of server-side apply on values: which fields a value has, what differs between two values, the merge of one
// into another, and the removal of fields. All are pure.
// Source: https://github.com/kubernetes-sigs/structured-merge-diff/tree/master/typed
import { isObject, own, sameJson } from '../values/json.ts'
import { difference, emptySet, type FieldSet, fieldSet, leafSet, printPath } from './field-set.ts'
import { compositeOf, elementOf, partsOf, type Shape } from './shape.ts'

/** Returns the fields that a client owns after it has applied this value. */
export function fieldsOf(shape: Shape, value: unknown): FieldSet {
  const composite = compositeOf(shape, value)
  if (composite === undefined) return value === null && isComposite(shape) ? emptySet : leafSet
  const lists = composite.is === 'set' || composite.is === 'keyed'
  const children = [...partsOf(composite, value).values()].map((part) => {
    const below = fieldsOf(part.shape, part.value)
    const member = below.member || lists || !part.declared || part.value === null || isEmptyObject(part.value)
    return [part.element, { member, children: below.children }] as const
  })
  return fieldSet(false, children)
}

function isComposite(shape: Shape): boolean {
  return shape.is !== 'leaf' && shape.is !== 'free'
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

/** Returns why a value does not fit its shape: an undeclared field, an item without a key, or an item that occurs twice. */
export function misfit(shape: Shape, value: unknown, path = ''): string | undefined {
  const composite = compositeOf(shape, value)
  if (composite === undefined) return undefined
  if (composite.is === 'struct' && isObject(value)) {
    const unknown = Object.keys(value).find((name) => composite.fieldOf(name) === undefined)
    if (unknown !== undefined) return `${path}.${unknown}: field not declared in schema`
  }
  const problem = composite.is === 'set' || composite.is === 'keyed' ? badItem(composite, value) : undefined
  if (problem !== undefined) return `${path}: ${problem}`
  for (const { element, value: inner, shape: of } of partsOf(composite, value).values()) {
    const found = misfit(of, inner, path + printPath([element]))
    if (found !== undefined) return found
  }
  return undefined
}

function badItem(shape: Extract<Shape, { is: 'set' | 'keyed' }>, value: unknown): string | undefined {
  const seen = new Set<string>()
  for (const [index, item] of (Array.isArray(value) ? value : []).entries()) {
    const element = elementOf(shape, item)
    if (element === 'k:{}' && shape.is === 'keyed') {
      const keys = shape.keys.map((key) => JSON.stringify(key.name)).join(', ')
      return `element ${index}: associative list with keys has an element that omits key field ${keys} (and doesn't have default value)`
    }
    if (seen.has(element)) return `duplicate entries for key ${printPath([element])}`
    seen.add(element)
  }
  return undefined
}

export type Difference = { readonly added: FieldSet; readonly modified: FieldSet; readonly removed: FieldSet }

const same: Difference = { added: emptySet, modified: emptySet, removed: emptySet }
const added: Difference = { ...same, added: leafSet }
const modified: Difference = { ...same, modified: leafSet }
const removed: Difference = { ...same, removed: leafSet }

/** Compares two values of one place. The cost follows what differs: equal parts make no sets. */
export function compare(shape: Shape, before: unknown, after: unknown): Difference {
  if (before === after) return same
  const composite = compositeOf(shape, before, after)
  if (composite === undefined) {
    if (before === undefined) return added
    if (after === undefined) return removed
    return sameJson(before, after) ? same : modified
  }
  const changes =
    composite.is === 'set' || composite.is === 'keyed'
      ? changedItems(composite, before, after)
      : changedFields(composite, before, after)
  const isKept = before !== undefined && after !== undefined
  if (isKept && changes.length === 0) return same
  const collect = (member: boolean, of: keyof Difference): FieldSet =>
    fieldSet(
      member,
      changes.map(([element, change]) => [element, change[of]]),
    )
  return {
    added: collect(before === undefined, 'added'),
    modified: collect(false, 'modified'),
    removed: collect(after === undefined, 'removed'),
  }
}

type Changes = [element: string, change: Difference][]

function changedItems(shape: Extract<Shape, { is: 'set' | 'keyed' }>, before: unknown, after: unknown): Changes {
  const [left, right] = [partsOf(shape, before), partsOf(shape, after)]
  const changes: Changes = []
  const note = (element: string, of: Shape): void => {
    const change = compare(of, left.get(element)?.value, right.get(element)?.value)
    if (change !== same) changes.push([element, change])
  }
  for (const [element, { shape: of }] of right) note(element, of)
  for (const [element, { shape: of }] of left) if (!right.has(element)) note(element, of)
  return changes
}

function changedFields(shape: Extract<Shape, { is: 'struct' | 'map' }>, before: unknown, after: unknown): Changes {
  const [left, right] = [isObject(before) ? before : {}, isObject(after) ? after : {}]
  const changes: Changes = []
  const note = (name: string, was: unknown, is: unknown): void => {
    if (was === is) return
    const of = shape.is === 'map' ? shape.of : shape.fieldOf(name)
    const change = of === undefined ? same : compare(of, was, is)
    if (change !== same) changes.push([`f:${name}`, change])
  }
  for (const name of Object.keys(right)) note(name, own(left, name), right[name])
  for (const name of Object.keys(left)) if (!Object.hasOwn(right, name)) note(name, left[name], undefined)
  return changes
}

/** Merges an applied value into the current one. Items of lists keep their identity; the applied order wins. */
export function merge(shape: Shape, current: unknown, applied: unknown): unknown {
  const composite = compositeOf(shape, current, applied)
  if (composite === undefined || current === undefined || current === null || applied === null) return applied
  if (composite.is === 'set' || composite.is === 'keyed') return mergeLists(composite, current, applied)
  const merged: Record<string, unknown> = { ...(isObject(current) ? current : {}) }
  for (const { element, value, shape: of } of partsOf(composite, applied).values()) {
    const name = element.slice(2)
    merged[name] = merge(of, merged[name], value)
  }
  return merged
}

function mergeLists(shape: Extract<Shape, { is: 'set' | 'keyed' }>, current: unknown, applied: unknown): unknown {
  const left = [...partsOf(shape, current).values()]
  const right = [...partsOf(shape, applied).values()]
  const [known, wanted] = [new Map(left.map((part) => [part.element, part.value])), partsOf(shape, applied)]
  const merged: unknown[] = []
  let at = 0
  const keepUnshared = (): void => {
    for (; at < left.length; at++) {
      const part = left[at]
      if (part === undefined || wanted.has(part.element)) return
      merged.push(part.value)
    }
  }
  for (const part of right) {
    keepUnshared()
    merged.push(merge(part.shape, known.get(part.element), part.value))
    if (known.has(part.element)) at++
  }
  for (const part of left.slice(at)) if (!wanted.has(part.element)) merged.push(part.value)
  return merged
}

/** Removes the places of the set from a value. Returns undefined if the value itself is removed. */
export function removeFields(shape: Shape, value: unknown, places: FieldSet): unknown {
  if (places.member) return undefined
  const composite = compositeOf(shape, value)
  if (composite === undefined || places.children.size === 0) return value
  const rest = (element: string, inner: unknown, of: Shape): unknown =>
    removeFields(of, inner, places.children.get(element) ?? emptySet)
  if (composite.is === 'set' || composite.is === 'keyed') {
    const of = composite.is === 'set' ? { is: 'leaf' as const } : composite.of
    const items = Array.isArray(value) ? value : []
    return items.map((item) => rest(elementOf(composite, item), item, of)).filter((item) => item !== undefined)
  }
  const kept: Record<string, unknown> = { ...(isObject(value) ? value : {}) }
  for (const { element, value: inner, shape: of } of partsOf(composite, value).values()) {
    const left = rest(element, inner, of)
    if (left === undefined) delete kept[element.slice(2)]
    else kept[element.slice(2)] = left
  }
  return kept
}

/** Adds the declared fields above each member: who owns `spec.replicas` counts as an owner of `spec`. */
function withParents(shape: Shape, set: FieldSet): FieldSet {
  const children = [...set.children].map(([element, child]) => {
    const [of, declared] = shapeBelow(shape, element)
    const below = withParents(of, child)
    return [element, { member: child.member || declared, children: below.children }] as const
  })
  return { member: set.member, children: new Map(children) }
}

function shapeBelow(shape: Shape, element: string): readonly [Shape, boolean] {
  if (shape.is === 'struct' && element.startsWith('f:')) {
    const of = shape.fieldOf(element.slice(2))
    return [of ?? { is: 'free' }, of !== undefined]
  }
  if (shape.is === 'map' || shape.is === 'keyed') return [shape.of, false]
  return [{ is: 'free' }, false]
}

/** Returns what to remove when a client no longer applies a field: places that it had, and that no client has now. */
export function abandoned(shape: Shape, before: FieldSet, now: FieldSet): FieldSet {
  return difference(withParents(shape, before), withParents(shape, now))
}
