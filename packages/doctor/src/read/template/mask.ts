// Masks template markers (Jinja, Helm, `<% %>`, Terraform's `${}`, `<+ >` of Harness) with filler of the same length.
// A YAML parser can then read the text, and every offset still holds.
import type { Span } from '../yaml/span.ts'
import { filler } from './template-value.ts'

export type Marker = Span & {
  /** `open`, `close`, `middle`: a block statement (if, for, end, else). `value`: prints a value. `none`: a comment or an assignment. */
  readonly role: 'open' | 'middle' | 'close' | 'value' | 'none'
  /** Whether the marker is alone on its lines. */
  readonly alone: boolean
}

/** How a line with only a marker is masked. Each way breaks block scalars that another does not. `aligned`: a comment at the column of the text below. */
export type LoneMarkers = 'comment' | 'aligned' | 'blank'

const closings: Readonly<Record<string, string>> = {
  '{{': '}}',
  '{%': '%}',
  '{#': '#}',
  '<%': '%>',
  '${': '}',
  '%{': '}',
  '<+': '>',
}

/** Finds all markers in one pass. An unclosed marker is text. `dollar`: Terraform's `${…}` and `%{…}` count too. */
export function findMarkers(text: string, dollar = false): Marker[] {
  const markers: Marker[] = []
  // Closings that do not occur again. They keep each opening from searching to the end of the text.
  const unclosed = new Set<string>()
  const opening = dollar ? /\{\{|\{%|\{#|<%|[$%]\{/g : /\{\{|\{%|\{#|<%|<\+(?=[\w.<+]{1,200}>)/g
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const open = match[0]
    const close = closings[open] ?? ''
    const at = unclosed.has(close) ? -1 : endOfBody(text, match.index + 2, close)
    if (at < 0) {
      unclosed.add(close)
      continue
    }
    const end = at + close.length
    markers.push({ start: match.index, end, role: roleOf(open, text.slice(match.index + 2, at)), alone: false })
    opening.lastIndex = end
  }
  return withAlone(text, markers)
}

/** A line may have several markers and nothing else: `{{- if .Values.x }}{{ toYaml .Values.x }}{{- end }}`. Each of them is alone then. */
function withAlone(text: string, markers: readonly Marker[]): Marker[] {
  const done: Marker[] = []
  for (let from = 0, to = 0; from < markers.length; from = to) {
    for (to = from + 1; to < markers.length && isBlankBetween(text, markers[to - 1], markers[to]); ) to++
    const group = markers.slice(from, to)
    const alone = isAlone(text, group[0]?.start ?? 0, group.at(-1)?.end ?? 0)
    for (const marker of group) done.push({ ...marker, alone })
  }
  return done
}

function isBlankBetween(text: string, left: Marker | undefined, right: Marker | undefined): boolean {
  if (!left || !right) return false
  let at = left.end
  while (at < right.start && isBlank(text[at])) at++
  return at === right.start
}

/** Returns where the closing of a marker begins: not in a comment of Go, and not in a string on its line. */
function endOfBody(text: string, start: number, close: string): number {
  const first = text.indexOf(close, start)
  if (first < 0 || close !== '}}') return first
  const comment = /-?\s*\/\*/y
  comment.lastIndex = start
  if (comment.test(text)) {
    const behind = /\*\/\s*-?(?=\}\})/g
    behind.lastIndex = comment.lastIndex
    return behind.test(text) ? behind.lastIndex : first
  }
  const before = text.slice(start, first)
  if (!hasOpenQuote(before) || before.includes('\n')) return first
  const next = text.indexOf(close, first + close.length)
  return next < 0 || hasOpenQuote(text.slice(start, next)) || text.slice(first, next).includes('\n') ? first : next
}

export function hasOpenQuote(body: string): boolean {
  return body.split('"').length % 2 === 0
}

/**
 * Whether `${…}` and `%{…}` are markers in the file: in files and templates of Terraform. A template may have any name, often `.yaml.tpl`.
 * Its directives are no YAML, at the start of a line.
 */
export function hasDollarMarkers(path: string, text: string): boolean {
  if (/\.(?:tf|tofu|hcl|tftpl)$/.test(path)) return true
  return (
    (path.endsWith('.tpl') && !text.includes('{{')) || /^[^\S\n]*%\{[-~]?\s*(?:if|for|else|endif|endfor)\b/m.test(text)
  )
}

/** Returns the text with every marker masked. Its length and its lines stay. */
export function maskMarkers(text: string, markers: readonly Marker[], lone: LoneMarkers): string {
  const parts: string[] = []
  let at = 0
  for (const marker of markers) {
    parts.push(text.slice(at, marker.start))
    const body = text.slice(marker.start, marker.end)
    const column = lone === 'aligned' && marker.alone ? columnBelow(text, marker) : 0
    // Spaces mean nothing on the further lines of a marker. The text behind it may continue the last one.
    const last =
      marker.alone || /^[ \t]*\r?(?:\n|$)/.test(text.slice(marker.end, marker.end + lookAhead))
        ? -1
        : body.lastIndexOf('\n')
    parts.push(
      body.replace(/[^\r\n]+/g, (line, offset: number) =>
        offset === 0
          ? maskLine(line, marker.alone ? lone : 'value', column)
          : offset === last + 1
            ? maskText(line)
            : ' '.repeat(line.length),
      ),
    )
    at = marker.end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Masks a line behind its indentation. */
export function maskText(text: string): string {
  return text.replace(
    /^([ \t]*)(.*)$/gm,
    (_, indentation: string, rest: string) => indentation + filler.repeat(rest.length),
  )
}

function maskLine(line: string, as: LoneMarkers | 'value', column: number): string {
  if (as === 'value') return filler.repeat(line.length)
  const spaces = as === 'blank' ? line.length : Math.min(column, line.length)
  return ' '.repeat(spaces) + '#'.repeat(line.length - spaces)
}

/** Letters. This bounds the search for a text with many markers. */
const lookAhead = 2_000

/** Returns how far the next line without a marker is indented beyond this one. */
function columnBelow(text: string, { start, end }: Marker): number {
  const own = start - (text.lastIndexOf('\n', start - 1) + 1)
  const below = /\n( *)(?![ \t\r\n]|\{[{%#]|<%)/.exec(text.slice(end, end + lookAhead))
  return Math.max(0, (below?.[1]?.length ?? 0) - own)
}

function isAlone(text: string, start: number, end: number): boolean {
  let before = start
  while (before > 0 && isBlank(text[before - 1])) before--
  let after = end
  while (after < text.length && isBlank(text[after])) after++
  const startsLine = before === 0 || text[before - 1] === '\n'
  return startsLine && (after === text.length || text[after] === '\n')
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\r'
}

function roleOf(open: string, body: string): Marker['role'] {
  if (open === '{#') return 'none'
  const words = body.replace(/^[-+~=]+/, '').trim()
  if (words.startsWith('/*') || words.startsWith('#')) return 'none'
  const first = /^[a-z]+/i.exec(words)?.[0] ?? ''
  if (/^end/.test(first)) return 'close'
  if (/^(?:else|elif|elsif)$/.test(first)) return 'middle'
  if (/^(?:if|for|range|with|define|block|macro|call|filter|raw|unless)$/.test(first)) return 'open'
  if (/^(?:set|import|from|extends|include|do)$/.test(first) && open === '{%')
    return first === 'include' ? 'value' : 'none'
  return /^\$\w+\s*:?=/.test(words) ? 'none' : 'value'
}
