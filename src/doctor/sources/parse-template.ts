// A text that may be a template → its value, with the template markers masked in the way that parses.
import type { SourceDocument } from './document.ts'
import { findMarkers, type LoneMarkers, type Marker, maskMarkers } from './mask.ts'
import { type Parsed, parseYaml, tooMuch } from './parse.ts'

/** `text`: what was parsed, masked. */
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

/** Tries the ways to mask a line that is only a marker, and takes the first that parses; if none does, the first failure. */
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
