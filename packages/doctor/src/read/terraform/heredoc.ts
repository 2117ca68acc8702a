// Reads the text of a heredoc (`<<EOT`, `<<-EOT`), and maps its offsets back to the file.
import { stripIndentation } from '../yaml/strip-indentation.ts'

export type Heredoc = {
  readonly text: string
  readonly toFile: (offset: number) => number
}

/** The span of a heredoc's body, and the end of its closing line, or of the text if none closes it. */
type HeredocSpan = {
  readonly start: number
  readonly bodyEnd: number
  readonly end: number
  readonly indented: boolean
}

/** Returns undefined if no heredoc begins here. */
export function heredocAt(text: string, at: number): HeredocSpan | undefined {
  const opening = /<<(-?)([A-Za-z_]\w*)[ \t]*\r?\n/y
  opening.lastIndex = at
  const match = opening.exec(text)
  if (!match) return undefined
  const start = opening.lastIndex
  const closing = new RegExp(`^[ \\t]*${match[2]}(?=[ \\t]*\\r?$)`, 'gm')
  closing.lastIndex = start
  const bodyEnd = closing.exec(text)?.index ?? text.length
  return { start, bodyEnd, end: closing.lastIndex || text.length, indented: match[1] === '-' }
}

/** Returns undefined if the lines have different indentations. */
export function readHeredoc(text: string, { start, bodyEnd, indented }: HeredocSpan): Heredoc | undefined {
  const body = text.slice(start, bodyEnd)
  const indentation = indented ? commonIndentation(body) : ''
  const lines = stripIndentation(body, 0, { indentation, base: start })
  return lines && { text: lines.text, toFile: lines.toOuter }
}

function commonIndentation(body: string): string {
  let least: string | undefined
  for (const [, indentation = ''] of body.matchAll(/^([ \t]*)\S/gm)) {
    if (least === undefined || indentation.length < least.length) least = indentation
  }
  return least ?? ''
}
