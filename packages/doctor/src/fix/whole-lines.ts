// Handles whole lines: the lines of an entry with its comments, their removal, and their indentation.
import type { Node } from 'yaml'
import type { SourceDocument } from '../read/decode/document.ts'
import type { Span } from '../read/yaml/span.ts'
import { refuse } from './refusal.ts'
import type { Splice } from './splice.ts'
import { refuseUnbalanced } from './statements.ts'
import { contentEnd, leading, lineEnd, lineStart, rangeOf } from './text.ts'

/** Returns the lines of a list entry with the comments above it, without the last line end. */
export function entryLines(document: SourceDocument, entry: Node): Span {
  const { text } = document.file
  return {
    start: withComments(text, document.toFile(rangeOf(entry)[0]), dashColumn(document, entry)),
    end: lineEnd(text, document.toFile(contentEnd(document, entry))),
  }
}

/** Returns the begin of a line, or of the comments right above it with the same column. */
export function withComments(text: string, at: number, column: number): number {
  let start = lineStart(text, at)
  const comment = `${' '.repeat(column)}#`
  while (start > 0 && text.startsWith(comment, lineStart(text, start - 1))) start = lineStart(text, start - 1)
  return start
}

/** Removes lines with the line end before them, so that no empty line stays. */
export function removeLines(document: SourceDocument, { start, end }: Span): Splice {
  const { text } = document.file
  refuseUnbalanced(document, start, end)
  if (start === 0)
    return { start, end: Math.min(text.length, text.startsWith('\r\n', end) ? end + 2 : end + 1), text: '' }
  return { start: text[start - 2] === '\r' ? start - 2 : start - 1, end, text: '' }
}

/** Moves lines to the right, or to the left if `columns` is negative. */
export function shift(lines: string, columns: number): string {
  if (columns === 0) return lines
  if (columns > 0) return lines.replace(/^(?=.*\S)/gm, ' '.repeat(columns))
  const shorter = ' '.repeat(-columns)
  return lines.replace(/^.*\S/gm, (line) =>
    line.startsWith(shorter) ? line.slice(-columns) : refuse('its lines are indented less'),
  )
}

/** Returns the column of the dash before an entry, which must begin its line. */
export function dashColumn(document: SourceDocument, entry: Node): number {
  return leading(document, entry, /^ *- +$/).indexOf('-')
}
