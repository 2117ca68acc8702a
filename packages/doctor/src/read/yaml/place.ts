// Turns a path in an object into a place of the file's original text.
// The place is the key, the entry with its short value, or the nearest key that exists.
import type { Path } from '@dayfly/kit/read-json'
import type { Place } from '../../finding.ts'
import type { SourceFile, SourceObject } from '../decode/document.ts'
import { lastAtMost } from './last-at-most.ts'
import type { Span } from './span.ts'
import { findSpot } from './spot.ts'

/** Returns the line and the column of an offset. */
export type LineIndex = (offset: number) => { readonly line: number; readonly column: number }

export function placeOf({ document, path: begin }: SourceObject, path: Path, lines: LineIndex): Place {
  const { key, start, end } = findSpot(document.nodes(), document.text, [...begin, ...path])
  const from = key?.start ?? start
  const to = end ?? key?.end ?? endOfLine(document.text, from)
  return placeAt(
    document.file,
    { start: document.toFile(from), end: Math.max(document.toFile(from), document.toFile(to)) },
    lines,
  )
}

function placeAt(file: SourceFile, { start, end }: Span, lines: LineIndex): Place {
  const from = lines(start)
  const to = lines(end)
  return { file: file.path, ...from, endLine: to.line, endColumn: to.column, start, end }
}

/** A byte order mark does not belong to the first line. */
export function indexLines(text: string): LineIndex {
  const starts = [text.charCodeAt(0) === 0xfeff ? 1 : 0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const line = lastAtMost(starts, offset)
    return { line: line + 1, column: Math.max(1, offset - (starts[line] ?? 0) + 1) }
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return text.slice(from, end < 0 ? text.length : end).trimEnd().length + from
}
