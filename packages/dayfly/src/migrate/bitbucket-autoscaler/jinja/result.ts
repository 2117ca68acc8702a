// The result of an expression, and how Python sees it: as text, as true or false, and in comparisons.
import { pythonText } from '../python-text.ts'
import { isMapping, isTimestamp, type Value } from '../yaml/value.ts'

/** A name without a value. It prints as nothing, and it has no members. */
export type Undefined = { readonly undefined: string }
export type Result = Value | Undefined

export function isUndefined(result: Result): result is Undefined {
  return typeof result === 'object' && result !== null && 'undefined' in result
}

/** Null is a value in Python, and only a missing one is undefined. */
export function found(result: Result | undefined, name: string): Result {
  return result === undefined ? { undefined: name } : result
}

export function isTrue(result: Result): boolean {
  if (isUndefined(result) || result === null || result === false) return false
  if (Array.isArray(result)) return result.length > 0
  if (isMapping(result)) return result.size > 0
  return result !== '' && result !== 0n && result !== 0
}

/** Returns the text that a tag prints. */
export function textOf(result: Result): string {
  if (isUndefined(result)) return ''
  if (typeof result === 'string') return result
  if (Array.isArray(result)) return `[${result.map(representation).join(', ')}]`
  if (isMapping(result)) {
    return `{${[...result].map(([key, value]) => `${representation(key)}: ${representation(value)}`).join(', ')}}`
  }
  return pythonText(result as Parameters<typeof pythonText>[0])
}

/** Python puts the texts inside a list or a map in quotes. */
function representation(value: Value): string {
  if (typeof value !== 'string') return textOf(value)
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
  const escaped = value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r')
  return `${quote}${quote === "'" ? escaped.replace(/'/g, "\\'") : escaped}${quote}`
}

export function areEqual(one: Result, other: Result): boolean {
  if (isUndefined(one) || isUndefined(other)) return isUndefined(one) && isUndefined(other)
  if (isNumber(one) && isNumber(other)) return Number(one) === Number(other)
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item: Value, index) => areEqual(item, other[index] as Value))
  }
  if (isMapping(one) && isMapping(other)) {
    return one.size === other.size && [...one].every(([key, value]) => areEqual(value, found(other.get(key), key)))
  }
  if (isTimestamp(one) && isTimestamp(other)) return one.timestamp === other.timestamp
  return one === other
}

/** For Python, true is 1 and false is 0. */
export function isNumber(result: Result): result is bigint | number | boolean {
  return typeof result === 'bigint' || typeof result === 'number' || typeof result === 'boolean'
}
