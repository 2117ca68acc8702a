// The filters of Jinja2 that templates use. The library applies a filter only if its result is that of Jinja2 and its size is bounded.
import type { Value } from '@huggingface/jinja'
import type { TemplateBounds } from './template-bounds.ts'
import { areEqual, isUndefined, textOf } from './template-values.ts'

export type FilterCall = {
  readonly value: Value
  readonly bounds: TemplateBounds
  /** Returns an argument by its position or name; undefined if it is absent. */
  given(index: number, name: string): Value | undefined
  /** Applies the library's filter with the arguments of the template, or with these named ones. */
  apply(name: string, value: Value, named?: Readonly<Record<string, Value>>): Value
  scalar(value: boolean | number | string | undefined): Value
  list(items: readonly Value[]): Value
}

export type Filter = (call: FilterCall) => Value

const fallback: Filter = ({ value, given, scalar }) => {
  const isMissing = isUndefined(value)
  const alsoFalse = given(1, 'boolean')?.__bool__().value && !value.__bool__().value
  return isMissing || alsoFalse ? (given(0, 'default_value') ?? scalar('')) : value
}

const length: Filter = (call) => call.scalar(itemsOf(call).length)

const filters: Readonly<Record<string, Filter>> = {
  default: fallback,
  d: fallback,
  upper: (call) => call.scalar(textIn(call).toUpperCase()),
  lower: (call) => call.scalar(textIn(call).toLowerCase()),
  capitalize: (call) => call.scalar(textIn(call).charAt(0).toUpperCase() + textIn(call).slice(1).toLowerCase()),
  trim: (call) => call.scalar(stripped(call, { begin: true, end: true })),
  string: (call) => call.scalar(textIn(call)),
  replace,
  indent,
  join,
  length,
  count: length,
  int: (call) => {
    const { value } = call.value
    if (typeof value === 'number' || typeof value === 'boolean') return call.scalar(Math.trunc(Number(value)))
    const isNumber = typeof value === 'string' && /^\s*[-+]?\d+(?:\.\d*)?\s*$/.test(value)
    return isNumber ? call.scalar(Math.trunc(Number(value))) : (call.given(0, 'default') ?? call.scalar(0))
  },
  list: (call) => call.list(itemsOf(call)),
  first: (call) => itemsOf(call).at(0) ?? call.scalar(undefined),
  last: (call) => itemsOf(call).at(-1) ?? call.scalar(undefined),
  sort: (call) => call.apply('sort', call.list(itemsOf(call))),
  unique: (call) => {
    const folded = (item: Value) => (typeof item.value === 'string' ? call.scalar(item.value.toLowerCase()) : item)
    const keys = itemsOf(call).map(folded)
    const isFirst = (_: Value, at: number) =>
      !keys.slice(0, at).some((key) => areEqual(key, keys[at] ?? key, call.bounds))
    return call.list(itemsOf(call).filter(isFirst))
  },
  items: (call) => (isUndefined(call.value) ? call.list([]) : call.apply('items', call.value)),
  dictsort: (call) => call.apply('dictsort', call.value),
  tojson: (call) => {
    if (call.given(0, 'indent')) call.bounds.refuse('tojson with indent is not supported')
    textIn(call)
    const sorted = { sort_keys: call.scalar(true), ensure_ascii: call.scalar(true) }
    const json = textOf(call.apply('tojson', call.value, sorted), call.bounds)
    return call.scalar(json.replace(/[<>&']/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`))
  },
}

/** The methods of texts whose result differs in the library, or has no bound there. */
export const textMethods: Readonly<Record<string, Filter>> = {
  strip: (call) => call.scalar(stripped(call, { begin: true, end: true })),
  lstrip: (call) => call.scalar(stripped(call, { begin: true, end: false })),
  rstrip: (call) => call.scalar(stripped(call, { begin: false, end: true })),
  replace,
  join: (call) => join({ ...call, value: call.given(0, '') ?? call.list([]), given: () => call.value }),
}

/** Another filter is refused by its name. */
export function filterOf(name: string, bounds: TemplateBounds): Filter {
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
  return filter ?? bounds.refuse(`the filter ${name} is not supported, only ${Object.keys(filters).join(', ')}`)
}

function join(call: FilterCall): Value {
  const texts = itemsOf(call).map((item) => textOf(item, call.bounds))
  const separator = call.given(0, 'd')
  const between = separator ? textOf(separator, call.bounds) : ''
  call.bounds.size(texts.reduce((sum, text) => sum + text.length + between.length, 0))
  return call.scalar(texts.join(between))
}

function replace(call: FilterCall): Value {
  const [from = '', to = ''] = [call.given(0, 'old'), call.given(1, 'new')].map(
    (one) => one && textOf(one, call.bounds),
  )
  if (call.given(2, 'count')) call.bounds.refuse('replace with a count is not supported')
  const parts = textIn(call).split(from).length
  call.bounds.size(textIn(call).length + (parts + 1) * to.length)
  return call.scalar(textIn(call).replaceAll(from, () => to))
}

/** The first line and empty lines stay, unless the template says otherwise. */
function indent(call: FilterCall): Value {
  const width = call.given(0, 'width')?.value ?? 4
  if (typeof width !== 'number') return call.bounds.refuse('the width of indent is not a number')
  const lines = textIn(call).split('\n')
  call.bounds.size(textIn(call).length + lines.length * width)
  const first = call.given(1, 'first')?.__bool__().value
  const blank = call.given(2, 'blank')?.__bool__().value
  const indented = lines.map((text, index) =>
    (index === 0 ? first : text !== '' || blank) ? ' '.repeat(Math.max(0, width)) + text : text,
  )
  return call.scalar(indented.join('\n'))
}

type Sides = { readonly begin: boolean; readonly end: boolean }

/** Removes white space, or the letters of the first argument. */
function stripped(call: FilterCall, sides: Sides): string {
  const text = textIn(call)
  const chars = call.given(0, 'chars')
  const letters = chars && textOf(chars, call.bounds)
  const isStripped = (letter = '') =>
    letters === undefined ? /^\s$/.test(letter) : letter !== '' && letters.includes(letter)
  let from = 0
  let to = text.length
  while (sides.begin && from < to && isStripped(text[from])) from += 1
  while (sides.end && to > from && isStripped(text[to - 1])) to -= 1
  return text.slice(from, to)
}

function textIn({ value, bounds }: FilterCall): string {
  return textOf(value, bounds)
}

/** Returns what a loop takes: the letters of a text, the keys of a map, nothing of an undefined value. */
export function itemsOf({
  value: of,
  bounds,
  scalar,
}: Pick<FilterCall, 'value' | 'bounds' | 'scalar'>): readonly Value[] {
  if (isUndefined(of)) return []
  const { value } = of
  if (Array.isArray(value)) return value
  if (value instanceof Map) return [...value.keys()].map(scalar)
  if (typeof value !== 'string') return bounds.refuse('the value is not a list')
  bounds.size(0, value.length)
  return [...value].map(scalar)
}
