// Parses a text that may be a template. Masks its markers in the way that parses.
import type { SourceDocument } from './document.ts'
import { findMarkers, type LoneMarkers, type Marker, maskMarkers } from './mask.ts'
import { type Parsed, parseYaml, tooMuch } from './parse.ts'

/** `text`: the masked text that was parsed. */
type Attempt = { readonly text: string; readonly parsed: Parsed }

/** `dollar`: `${…}` and `%{…}` are markers too. */
export function parseTemplate(chunk: string, dollar = false): Attempt & Pick<SourceDocument, 'open'> {
  const markers = findMarkers(chunk, dollar)
  if (markers.length === 0) return { text: chunk, parsed: parseYaml(chunk), open: false }
  const { text, parsed } = parseMasked(chunk, markers)
  const open = markers.some(({ role, alone }) => role === 'value' && alone)
  if ('value' in parsed) return { text, parsed, open }
  const failed = `${parsed.failed} (after masking ${markers.length} template markers)`
  return { text, parsed: { ...parsed, failed }, open }
}

/** Tries the ways to mask a line with only a marker. Returns the first that parses, or else the first failure. */
function parseMasked(chunk: string, markers: readonly Marker[]): Attempt {
  const refusal = tooMuch(chunk)
  if (refusal !== undefined) return { text: chunk, parsed: { failed: refusal, offset: undefined } }
  const attempt = (way: LoneMarkers): Attempt => {
    const text = maskMarkers(chunk, markers, way)
    return { text, parsed: parseYaml(text) }
  }
  const first = attempt('comment')
  if ('value' in first.parsed) return first
  for (const way of ['aligned', 'blank'] as const) {
    const other = attempt(way)
    if ('value' in other.parsed) return other
  }
  return first
}
