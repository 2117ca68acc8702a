// Changes a text by offset.
import type { Span } from '../read/yaml/span.ts'
import { refuse } from './refusal.ts'

/** Replaces the span of the file's text by `text`. */
export type Splice = Span & { readonly text: string }

/** Returns a part of a text with its splices applied. */
export function applySplices(
  text: string,
  splices: readonly Splice[],
  { start, end }: Span = { start: 0, end: text.length },
): string {
  let at = start
  let result = ''
  for (const splice of [...splices].sort((left, right) => left.start - right.start || left.end - right.end)) {
    if (splice.start < at || splice.end > end) refuse('its changes overlap')
    result += text.slice(at, splice.start) + splice.text
    at = splice.end
  }
  return result + text.slice(at, end)
}
