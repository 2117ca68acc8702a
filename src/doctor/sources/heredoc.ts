// Terraform: the text of heredocs (`<<EOT`, `<<-EOT`), each with the way back to the file.
import { stripIndentation } from './embedded.ts'

export type Heredoc = {
  readonly text: string
  readonly toFile: (offset: number) => number
  readonly prefix: string
}

export function findHeredocs(text: string): Heredoc[] {
  const found: Heredoc[] = []
  const opening = /<<(-?)([A-Za-z_]\w*)[ \t]*\r?\n/g
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const from = match.index + match[0].length
    const closing = new RegExp(`^[ \\t]*${match[2]}[ \\t]*\\r?$`, 'gm')
    closing.lastIndex = from
    const end = closing.exec(text)?.index
    if (end === undefined) continue
    const body = text.slice(from, end)
    const indentation = match[1] === '-' ? commonIndentation(body) : ''
    const lines = stripIndentation(body, 0, { indentation, base: from })
    if (lines) found.push({ text: lines.text, toFile: lines.toOuter, prefix: indentation })
    opening.lastIndex = end
  }
  return found
}

function commonIndentation(body: string): string {
  let least: string | undefined
  for (const [, indentation = ''] of body.matchAll(/^([ \t]*)\S/gm)) {
    if (least === undefined || indentation.length < least.length) least = indentation
  }
  return least ?? ''
}
