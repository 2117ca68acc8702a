// Reads the fields of a map with the coercions of pydantic 1, which the official tool uses (docs/reference/bitbucket.md#s4-3).
import { pythonText } from '../python-text.ts'
import type { Problem } from './problem.ts'
import { below, isMapping, isTimestamp, type Mapping, type Value } from './yaml/value.ts'

/** One map of the file. A reader that fails adds a problem and returns undefined. */
export type MapReader = {
  readonly path: string
  has(key: string): boolean
  /** A field with a default may be absent, but it may not be null. */
  text(key: string, absent?: string): string | undefined
  integer(key: string, absent?: number): number | undefined
  float(key: string): number | undefined
  optionalText(key: string): string | undefined
  /** An absent map has no fields. Returns undefined for another value. */
  map(key: string, absent?: Mapping): MapReader | undefined
  value(key: string): Value | undefined
}

export function readMap(map: Mapping, path: string, problems: Problem[]): MapReader {
  const refuse = (key: string, sentence: string) => {
    problems.push({ path: below(path, key), sentence })
    return undefined
  }
  function read<T>(key: string, convert: (value: Value) => T | undefined, wanted: string, absent?: T): T | undefined {
    const value = map.get(key)
    if (value === undefined) return absent ?? refuse(key, 'The field is missing. Add it.')
    if (value === null) return refuse(key, 'The value is null, which is not allowed. Set it, or remove the key.')
    return convert(value) ?? refuse(key, `The value is not ${wanted}. Correct it.`)
  }
  return {
    path,
    has: (key) => map.has(key),
    value: (key) => map.get(key),
    text: (key, absent) => read(key, textOf, 'a text', absent),
    integer: (key, absent) => read(key, integerOf, 'an integer', absent),
    float: (key) => read(key, floatOf, 'a number'),
    optionalText: (key) => (map.get(key) == null ? undefined : read(key, textOf, 'a text')),
    map: (key, absent) => {
      const inner = read(key, (value) => (isMapping(value) ? value : undefined), 'a map', absent)
      return inner && readMap(inner, below(path, key), problems)
    },
  }
}

/** Numbers and truth values become texts, as Python writes them. */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean'
    ? pythonText(value)
    : undefined
}

/** Cuts a float, and reads a text of digits. */
function integerOf(value: Value): number | undefined {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) + 0 : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  return /^[-+]?\d+(?:_\d+)*$/.test(text) ? Number(text.replace(/_/g, '')) : undefined
}

function floatOf(value: Value): number | undefined {
  if (isTimestamp(value) || typeof value === 'object') return undefined
  if (typeof value !== 'string') return Number(value)
  const text = value.trim().toLowerCase()
  const named = /^([-+]?)(?:(nan)|inf(?:inity)?)$/.exec(text)
  if (named) return named[2] ? Number.NaN : Number(`${named[1]}Infinity`)
  const digits = String.raw`\d+(?:_\d+)*`
  const form = new RegExp(`^[-+]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:e[-+]?${digits})?$`)
  return form.test(text) ? Number(text.replace(/_/g, '')) : undefined
}
