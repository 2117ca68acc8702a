// Values that a template computes. Their markers are masked with one private character, so that a rule never mistakes such a value for a word.
import type { Path } from '@dayfly/kit/read-json'

/** Replaces one character of a template marker (`{{ … }}`, `{% … %}`, `<% … %>`, `<+…>`, `${…}`). */
export const filler = '\uE000'

/** Returns whether a template writes all or part of the value, so that it is unknown. */
export function isUnknown(value: unknown): boolean {
  return typeof value === 'string' && value.includes(filler)
}

/** Whether a template may write something at this path: there, around it, as a key beside it, or as an entry of its list. */
export function mayBeWritten(root: unknown, path: Path): boolean {
  let value = root
  for (const step of path) {
    if (isUnknown(value)) return true
    if (typeof value !== 'object' || value === null) return false
    if (!Object.hasOwn(value, step)) return Object.keys(value).some(isUnknown)
    value = (value as Record<string | number, unknown>)[step]
  }
  return isUnknown(value) || (Array.isArray(value) && value.some(isUnknown))
}
