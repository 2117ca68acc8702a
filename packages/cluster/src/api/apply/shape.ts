// How server-side apply sees a value: which parts several clients may own separately, and how the items of a list are
// identified.
import { isObject } from '../values/json.ts'

export type Shape =
  /** The value is owned and replaced as a whole. */
  | { readonly is: 'leaf' }
  /** An object with declared fields. `fieldOf` returns undefined for any other name. */
  | { readonly is: 'struct'; readonly fieldOf: (name: string) => Shape | undefined }
  | { readonly is: 'map'; readonly of: Shape }
  /** A list of different simple values. */
  | { readonly is: 'set' }
  /** A list of objects. The values of these fields identify an item. Their names are in order. */
  | { readonly is: 'keyed'; readonly keys: readonly Key[]; readonly of: Shape }
  /** The schema says nothing: the parts of objects have owners, lists are replaced as a whole. */
  | { readonly is: 'free' }

/** A field that identifies an item, and its value in an item that does not have it. */
export type Key = { readonly name: string; readonly default: unknown }

type Composite = Exclude<Shape, { is: 'leaf' } | { is: 'free' }>

export const leaf: Shape = { is: 'leaf' }
export const free: Shape = { is: 'free' }
const freeMap: Composite = { is: 'map', of: free }

/** Returns the shape to use for one or two values of a place, or undefined if they are compared as a whole. */
export function compositeOf(shape: Shape, one: unknown, other?: unknown): Composite | undefined {
  if (shape.is === 'leaf' || (isAbsent(one) && isAbsent(other))) return undefined
  if (shape.is === 'set' || shape.is === 'keyed') {
    return (isAbsent(one) || Array.isArray(one)) && (isAbsent(other) || Array.isArray(other)) ? shape : undefined
  }
  if (!(isAbsent(one) || isObject(one)) || !(isAbsent(other) || isObject(other))) return undefined
  return shape.is === 'free' ? freeMap : shape
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

type Part = { readonly element: string; readonly value: unknown; readonly shape: Shape; readonly declared: boolean }

/** Returns the parts of a composite value by their path elements. Undeclared fields of a struct are left out. */
export function partsOf(shape: Composite, value: unknown): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>()
  const add = (part: Part): void => void parts.set(part.element, part)
  if (shape.is === 'set' || shape.is === 'keyed') {
    const of = shape.is === 'set' ? leaf : shape.of
    for (const item of Array.isArray(value) ? value : []) {
      add({ element: elementOf(shape, item), value: item, shape: of, declared: false })
    }
    return parts
  }
  for (const [name, inner] of Object.entries(isObject(value) ? value : {})) {
    const of = shape.is === 'map' ? shape.of : shape.fieldOf(name)
    if (of === undefined || inner === undefined) continue
    add({ element: `f:${name}`, value: inner, shape: of, declared: shape.is === 'struct' })
  }
  return parts
}

/** Returns the path element of a list item. */
export function elementOf(shape: Extract<Shape, { is: 'set' | 'keyed' }>, item: unknown): string {
  if (shape.is === 'set') return `v:${JSON.stringify(item)}`
  const keys = shape.keys.flatMap(({ name, default: missing }) => {
    const value = (isObject(item) ? item[name] : undefined) ?? missing
    return value === undefined ? [] : [[name, value] as const]
  })
  return `k:${JSON.stringify(Object.fromEntries(keys))}`
}
