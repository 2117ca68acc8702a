// Parses a text that may be a template. It is read as written where a marker may be an illusion, else with its markers masked.
import { once } from '@dayfly/kit/once'
import { isScalar, visit } from 'yaml'
import type { SourceDocument } from '../decode/document.ts'
import { type Parsed, parseYaml, tooMuch } from '../yaml/parse.ts'
import { findMarkers, hasOpenQuote, type LoneMarkers, type Marker, maskMarkers, maskText } from './mask.ts'

/** `text`: the masked text that was parsed. */
type Attempt = { readonly text: string; readonly parsed: Parsed }
type Read = Extract<Parsed, { value: unknown }>

/** `dollar`: `${…}` and `%{…}` are markers too. */
export function parseTemplate(chunk: string, dollar = false): Attempt & Pick<SourceDocument, 'open'> {
  const markers = findMarkers(chunk, dollar)
  if (markers.length === 0) return { text: chunk, parsed: parseYaml(chunk), open: false }
  const written = once(() => parseWritten(chunk, dollar))
  const doubtful = markers.some((marker) => isDoubtful(chunk, marker))
  const sure = doubtful ? written() : undefined
  if (sure) return { ...sure, open: false }
  const { text, parsed } = parseMasked(chunk, markers)
  const open = markers.some(({ role, alone }) => role === 'value' && alone)
  if ('value' in parsed) return { text, parsed, open }
  const other = written()
  if (other) return { ...other, open: false }
  const failed = `${parsed.failed} (after masking ${markers.length} template markers)`
  return { text, parsed: { ...parsed, failed }, open }
}

/** Whether the marker may begin in one string and end in another: `'{{'` is no marker, but a later `}}` would make it one. */
function isDoubtful(text: string, { start, end, role, alone }: Marker): boolean {
  const body = text.slice(start + 2, end - 2)
  if (role === 'none' && alone) return false
  return /[\n{}]|: /.test(body) || hasOpenQuote(body) || body.split("'").length % 2 === 0
}

/** Parses the text as kubectl would, then masks the markers inside its strings. Undefined: the text is a template, and no YAML yet. */
function parseWritten(chunk: string, dollar: boolean): Attempt | undefined {
  if (tooMuch(chunk) !== undefined) return undefined
  const parsed = parseYaml(chunk)
  if ('failed' in parsed || parsed.respelled || !isPlain(parsed)) return undefined
  const text = maskInside(chunk, parsed, dollar)
  const masked = text === chunk ? parsed : parseYaml(text)
  return 'failed' in masked ? { text: chunk, parsed } : { text, parsed: masked }
}

/** Whether each key is a string: `{{ x }}` reads as a mapping in a mapping. */
function isPlain({ nodes }: Read): boolean {
  let plain = true
  visit(nodes(), {
    Pair: (_, { key }) => {
      plain = isScalar(key)
      return plain ? undefined : visit.BREAK
    },
  })
  return plain
}

function maskInside(text: string, { nodes }: Read, dollar: boolean): string {
  const parts: string[] = []
  let at = 0
  visit(nodes(), {
    Scalar: (_, { range }) => {
      if (!range || range[0] < at) return
      for (const { start, end } of findMarkers(text.slice(range[0], range[1]), dollar)) {
        parts.push(text.slice(at, range[0] + start), maskText(text.slice(range[0] + start, range[0] + end)))
        at = range[0] + end
      }
    },
  })
  return parts.join('') + text.slice(at)
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
