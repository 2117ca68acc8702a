// The filters of Jinja2 that job templates use. Another one is refused by its name.
import { isMapping, isTimestamp, type Value } from '../yaml/value.ts'
import type { Bounds } from './bounds.ts'
import { callMethod, listOf, replaced } from './members.ts'
import { TemplateRefused } from './refused.ts'
import { found, isTrue, isUndefined, type Result, textOf } from './result.ts'

export type FilterCall = {
  readonly value: Result
  /** Returns an argument by its position or name; undefined if it is absent. */
  readonly given: (index: number, name: string) => Result | undefined
  readonly line: number
  readonly bounds: Bounds
}

type Filter = (call: FilterCall) => Result

const fallback: Filter = ({ value, given }) => {
  const other = given(0, 'default_value') ?? ''
  const alsoFalse = isTrue(given(1, 'boolean') ?? false)
  return isUndefined(value) || (alsoFalse && !isTrue(value)) ? other : value
}

const length: Filter = ({ value, line }) => {
  return BigInt(typeof value === 'string' ? [...value].length : listOf(value, line).length)
}

const filters: Readonly<Record<string, Filter>> = {
  default: fallback,
  d: fallback,
  upper: ({ value }) => textOf(value).toUpperCase(),
  lower: ({ value }) => textOf(value).toLowerCase(),
  capitalize: ({ value }) => textOf(value).charAt(0).toUpperCase() + textOf(value).slice(1).toLowerCase(),
  trim: ({ value, given, line, bounds }) => {
    const letters = given(0, 'chars')
    return callMethod(textOf(value), 'strip', { positional: letters === undefined ? [] : [letters], line, bounds })
  },
  string: ({ value }) => textOf(value),
  replace: ({ value, given, line, bounds }) =>
    replaced(textOf(value), [textOf(given(0, 'old') ?? ''), textOf(given(1, 'new') ?? '')], line, bounds),
  indent,
  join: ({ value, given, line, bounds }) =>
    bounds.text(
      listOf(value, line)
        .map(textOf)
        .join(textOf(given(0, 'd') ?? '')),
      line,
    ),
  length,
  count: length,
  int: ({ value, given }) => integerOf(value) ?? given(0, 'default') ?? 0n,
  list: ({ value, line }) => listOf(value, line),
  first: ({ value, line }) => found(listOf(value, line)[0], 'the first item'),
  last: ({ value, line }) => found(listOf(value, line).at(-1), 'the last item'),
  sort: ({ value, line }) => sorted(listOf(value, line), line),
  unique: ({ value, line }) => [...new Set(listOf(value, line))],
  items: ({ value, line }) => (isUndefined(value) ? [] : entriesOf(value, line)),
  dictsort: ({ value, line }) => sortedEntries(entriesOf(value, line)),
  tojson: ({ value, given, line }) => {
    if (given(0, 'indent') !== undefined) throw new TemplateRefused('tojson with indent is not supported', line)
    return jsonOf(value, line).replace(/[<>&']/g, escapedLetter)
  },
}

export function applyFilter(name: string, call: FilterCall): Result {
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
  if (filter) return filter(call)
  const known = Object.keys(filters).join(', ')
  throw new TemplateRefused(`the filter ${name} is not supported, only ${known}`, call.line)
}

/** The first line and empty lines stay, unless the template says otherwise. */
function indent({ value, given, line, bounds }: FilterCall): Result {
  const width = given(0, 'width') ?? 4n
  const size = typeof width === 'string' ? width.length : Number(integerOf(width) ?? 4n)
  bounds.size(size, line)
  const space = typeof width === 'string' ? width : ' '.repeat(Math.max(0, size))
  const withFirst = isTrue(given(1, 'first') ?? false)
  const withEmpty = isTrue(given(2, 'blank') ?? false)
  const lines = textOf(value).split('\n')
  bounds.size((lines.length * size) / 16, line)
  const indented = lines.map((text, index) =>
    (index === 0 && !withFirst) || (text === '' && index > 0 && !withEmpty) ? text : space + text,
  )
  return bounds.text(indented.join('\n'), line)
}

function integerOf(value: Result): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  const text = typeof value === 'string' ? value.trim() : ''
  if (/^[-+]?\d{1,400}$/.test(text)) return BigInt(text.replace(/^\+/, ''))
  return /^[-+]?\d{1,15}\.\d*$/.test(text) ? BigInt(Math.trunc(Number(text))) : undefined
}

function sorted(list: readonly Value[], line: number): readonly Value[] {
  if (list.every((item) => typeof item === 'string')) {
    return [...list].sort((one, other) => compare(one.toLowerCase(), other.toLowerCase()))
  }
  if (list.every((item) => typeof item === 'bigint' || typeof item === 'number')) {
    return [...list].sort((one, other) => Number(one) - Number(other))
  }
  throw new TemplateRefused('only texts or numbers can be sorted', line)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function entriesOf(value: Result, line: number): readonly (readonly [string, Value])[] {
  if (isMapping(value)) return [...value]
  throw new TemplateRefused('the value is not a map', line)
}

function sortedEntries(entries: readonly (readonly [string, Value])[]): readonly Value[] {
  return [...entries].sort(([one], [other]) => compare(one.toLowerCase(), other.toLowerCase()))
}

/** Writes JSON as Python does: with spaces, sorted keys and ASCII letters only. */
function jsonOf(value: Result, line: number): string {
  if (isUndefined(value) || isTimestamp(value)) throw new TemplateRefused('the value cannot be written as JSON', line)
  if (Array.isArray(value)) return `[${value.map((item: Value) => jsonOf(item, line)).join(', ')}]`
  if (isMapping(value)) {
    const entries = [...value].sort(([one], [other]) => compare(one, other))
    return `{${entries.map(([key, item]) => `${jsonOf(key, line)}: ${jsonOf(item, line)}`).join(', ')}}`
  }
  if (typeof value === 'number' || typeof value === 'bigint') return textOf(value)
  return JSON.stringify(value).replace(/[\x7f-\uffff]/g, escapedLetter)
}

function escapedLetter(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}
