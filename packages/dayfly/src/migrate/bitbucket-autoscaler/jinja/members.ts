// The methods of maps and texts that templates call. Python has more; one that is not here is refused by its name.
import { isMapping, type Value } from '../yaml/value.ts'
import type { Bounds } from './bounds.ts'
import { TemplateRefused } from './refused.ts'
import { isUndefined, type Result, textOf } from './result.ts'

export type Call = { readonly positional: readonly Result[]; readonly line: number; readonly bounds: Bounds }
type Method<T> = (self: T, call: Call) => Result

const mapMethods: Readonly<Record<string, Method<ReadonlyMap<string, Value>>>> = {
  items: (map) => [...map],
  keys: (map) => [...map.keys()],
  values: (map) => [...map.values()],
  get: (map, { positional: [key = null, fallback = null] }) =>
    map.has(textOf(key)) ? (map.get(textOf(key)) ?? null) : fallback,
}

const textMethods: Readonly<Record<string, Method<string>>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  strip: (text, call) => stripped(text, call, true, true),
  lstrip: (text, call) => stripped(text, call, true, false),
  rstrip: (text, call) => stripped(text, call, false, true),
  startswith: (text, call) => text.startsWith(first(call)),
  endswith: (text, call) => text.endsWith(first(call)),
  replace: (text, { positional: [from = '', to = ''], line, bounds }) =>
    replaced(text, [textOf(from), textOf(to)], line, bounds),
  split: (text, call) => splitText(text, call),
  join: (text, { positional: [list = []], line, bounds }) =>
    bounds.text(listOf(list, line).map(textOf).join(text), line),
}

/** Returns what the method gives. Throws `TemplateRefused` for a method that is not known. */
export function callMethod(of: Result, name: string, call: Call): Result {
  const { line } = call
  if (isMapping(of) && Object.hasOwn(mapMethods, name)) return mapMethods[name]?.(of, call) ?? null
  if (typeof of === 'string' && Object.hasOwn(textMethods, name)) return textMethods[name]?.(of, call) ?? null
  if (isUndefined(of)) throw new TemplateRefused(`${of.undefined} is undefined, so it has no ${name}()`, line)
  const kind = isMapping(of) ? 'a map' : typeof of === 'string' ? 'a text' : 'this value'
  throw new TemplateRefused(`the method ${name}() of ${kind} is not supported`, line)
}

export function isMethod(of: Result, name: string): boolean {
  return Object.hasOwn(isMapping(of) ? mapMethods : typeof of === 'string' ? textMethods : {}, name)
}

export function listOf(value: Result, line: number): readonly Value[] {
  if (isUndefined(value)) return []
  if (Array.isArray(value)) return value
  if (isMapping(value)) return [...value.keys()]
  if (typeof value === 'string') return [...value]
  throw new TemplateRefused('the value is not a list', line)
}

export function replaced(text: string, [from, to]: readonly [string, string], line: number, bounds: Bounds): string {
  bounds.text(text, line)
  const growth = from === '' ? text.length + 1 : text.split(from).length - 1
  bounds.size((growth * to.length) / 256, line)
  return from === '' ? `${to}${[...text].map((letter) => letter + to).join('')}` : text.replaceAll(from, () => to)
}

function first({ positional: [value], line }: Call): string {
  if (typeof value === 'string') return value
  throw new TemplateRefused('the method needs a text', line)
}

function stripped(text: string, { positional: [letters] }: Call, begin: boolean, end: boolean): string {
  const isStripped = (letter: string) =>
    letters === undefined || letters === null ? /\s/.test(letter) : textOf(letters).includes(letter)
  let from = 0
  let to = text.length
  while (begin && from < to && isStripped(text.charAt(from))) from += 1
  while (end && to > from && isStripped(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}

function splitText(text: string, { positional: [separator], line, bounds }: Call): readonly Value[] {
  bounds.text(text, line)
  if (separator === undefined || separator === null) return text.split(/\s+/).filter((word) => word !== '')
  const letters = textOf(separator)
  if (letters === '') throw new TemplateRefused('the separator of split() is empty', line)
  return text.split(letters)
}
