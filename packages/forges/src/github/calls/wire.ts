// Reads JSON as GitHub sends it: keys in any case, numbers that may be strings, unset times as the year 1
// (docs/reference/scale-set-protocol.md#s4).
import type { Instant } from '@dayfly/kit/clock'
import { asJsonObject, type JsonObject } from '@dayfly/kit/read-json'

/** A JSON object from GitHub. Its members are read with the functions below, never by name. */
export type Wire = JsonObject

/** Returns the member with this name in any case; the exact name wins. */
export function field(object: Wire, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const folded = name.toLowerCase()
  const key = Object.keys(object).find((candidate) => candidate.toLowerCase() === folded)
  return key === undefined ? undefined : object[key]
}

/** Returns a text for people, cut after `lengthMax` characters; undefined if it is missing or empty. */
export function textField(object: Wire, name: string, lengthMax = 2_000): string | undefined {
  return opaqueField(object, name)?.slice(0, lengthMax)
}

/** Returns a text for machines (an address, a token), never cut; undefined if it is missing or empty. */
export function opaqueField(object: Wire, name: string): string | undefined {
  const value = field(object, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the http or https address in the member; undefined for anything else. */
export function urlField(object: Wire, name: string): URL | undefined {
  const text = opaqueField(object, name)
  return text !== undefined && /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

/** Returns a whole number that is not negative and that JavaScript holds exactly. */
export function integerField(object: Wire, name: string): number | undefined {
  const value = field(object, name)
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined
}

/** Returns undefined for an unset time (null, absent, the year 1) and for one that cannot be read. */
export function instantField(object: Wire, name: string): Instant | undefined {
  const value = field(object, name)
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(instant) && instant > 0 ? instant : undefined
}

/**
 * Returns the members of `{count, value}`. The array decides: a `count` below its length is ignored.
 * Returns undefined if the list is not complete (fewer members than `count`) or holds anything but objects.
 */
export function wireList(value: unknown): readonly Wire[] | undefined {
  const list = asJsonObject(value)
  if (!list) return undefined
  const count = integerField(list, 'count')
  const items = field(list, 'value') ?? (count === 0 ? [] : undefined)
  if (!Array.isArray(items) || items.length < (count ?? 0)) return undefined
  const wires = items.map(asJsonObject)
  return wires.every((item) => item !== undefined) ? wires : undefined
}
