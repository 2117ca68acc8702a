// Changes of a text by offset.
import type { Span } from '../sources/span.ts'
import { refuse } from './refusal.ts'

/** A change of the file's text: `text` in the place of the span. */
export type Splice = Span & { readonly text: string }

/** A part of a text with the splices in it made. */
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
