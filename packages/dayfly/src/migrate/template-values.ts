// How Python sees a value of a template: as text, as a list, and in comparisons.
import type { Value } from '@huggingface/jinja'
import { pythonText } from './python-text.ts'
import type { TemplateBounds } from './template-bounds.ts'

/** The library has no JavaScript value for null, either. */
export function isUndefined({ type }: Value): boolean {
  return type === 'UndefinedValue'
}

/** Returns the text that a tag prints. An undefined value prints nothing. */
export function textOf(value: Value, bounds: TemplateBounds): string {
  if (typeof value.value === 'string') return value.value
  return isUndefined(value) ? '' : representation(value, bounds)
}

/** Python puts the texts inside a list or a map in quotes. */
function representation(value: Value, bounds: TemplateBounds): string {
  bounds.step()
  const { value: inner } = value
  const inside = (items: readonly Value[]) => items.map((item) => representation(item, bounds)).join(', ')
  if (inner === undefined || inner === null) return isUndefined(value) ? 'Undefined' : pythonText(null)
  if (typeof inner === 'string') return quoted(inner)
  if (typeof inner === 'number') return pythonText(value.type === 'FloatValue' ? inner : BigInt(inner))
  if (typeof inner === 'boolean') return pythonText(inner)
  if (typeof inner === 'function') return bounds.refuse('a function is not called: write () behind it')
  if (inner instanceof Map) {
    return `{${[...inner].map(([key, item]) => `${quoted(key)}: ${representation(item, bounds)}`).join(', ')}}`
  }
  const items = inner as readonly Value[]
  if (value.type !== 'TupleValue') return `[${inside(items)}]`
  return `(${inside(items)}${items.length === 1 ? ',' : ''})`
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r')
  return `${quote}${quote === "'" ? escaped.replace(/'/g, "\\'") : escaped}${quote}`
}

/** True equals 1 for Python, and null equals only itself. */
export function areEqual(one: Value, other: Value, bounds: TemplateBounds): boolean {
  bounds.step()
  const { value: left } = one
  const { value: right } = other
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => areEqual(item, right[index], bounds))
  }
  if (left instanceof Map && right instanceof Map) {
    const has = ([key, item]: readonly [string, Value]) => right.has(key) && areEqual(item, right.get(key), bounds)
    return left.size === right.size && [...left].every(has)
  }
  const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'boolean'
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right)
  return left === right && one.type === other.type
}
