// Reads JSON as GitHub sends it: keys in any case, numbers perhaps as strings, unset times as the year 1 (scale-set protocol 4).
import type { Instant } from '../../lib/clock.ts'

/** A JSON object from outside; its members are read by the functions below, never by name. */
export type Wire = Readonly<Record<string, unknown>>

export function asWire(value: unknown): Wire | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wire) : undefined
}

/** The member by name, in any case; the exact name wins. */
export function field(object: Wire, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const folded = name.toLowerCase()
  const key = Object.keys(object).find((candidate) => candidate.toLowerCase() === folded)
  return key === undefined ? undefined : object[key]
}

/** A text that is not empty, at most 2,000 characters of it unless said. */
export function textField(object: Wire, name: string, lengthMax = 2_000): string | undefined {
  const value = field(object, name)
  return typeof value === 'string' && value !== '' ? value.slice(0, lengthMax) : undefined
}

/** A whole number that is not negative. */
export function integerField(object: Wire, name: string): number | undefined {
  const value = field(object, name)
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined
}

/** Unset (null, absent, the year 1) and unreadable are undefined. */
export function instantField(object: Wire, name: string): Instant | undefined {
  const value = field(object, name)
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(instant) && instant > 0 ? instant : undefined
}

/** The members of `{count, value}`; undefined unless the list is whole, every member an object. */
export function wireList(value: unknown): readonly Wire[] | undefined {
  const list = asWire(value)
  if (!list) return undefined
  const count = integerField(list, 'count')
  const items = field(list, 'value') ?? (count === 0 ? [] : undefined)
  if (!Array.isArray(items) || (count ?? items.length) !== items.length) return undefined
  const wires = items.map(asWire)
  return wires.every((item) => item !== undefined) ? wires : undefined
}
