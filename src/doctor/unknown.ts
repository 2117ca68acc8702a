// Values that a template computes. Markers are masked with one private character, so that such a value is never taken for a word.

/** Stands for one character of a template marker (`{{ … }}`, `{% … %}`, `<% … %>`, `${…}`). */
export const filler = '\uE000'

/** True for a value that is written by a template, wholly or in part, and so not known here. */
export function isUnknown(value: unknown): boolean {
  return typeof value === 'string' && value.includes(filler)
}
