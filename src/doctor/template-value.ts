// Values that a template computes. Markers are masked with one private character, so that such a value is never taken for a word.
import type { Path } from '../lib/read-json.ts'

/** Stands for one character of a template marker (`{{ … }}`, `{% … %}`, `<% … %>`, `${…}`). */
export const filler = '\uE000'

/** True for a value that is written by a template, wholly or in part, and so not known here. */
export function isUnknown(value: unknown): boolean {
  return typeof value === 'string' && value.includes(filler)
}

/** Whether a template may have written something at this path: there, around it, as a key beside it, or as an entry of its list. */
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
