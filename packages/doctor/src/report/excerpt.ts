// Shows the source of a finding: its line with the one before it, and carets under the place.
import { printableLine } from '@dayfly/kit/printable'
import type { Place } from '../finding.ts'
import { blanks, type Look, type Paint } from './look.ts'

const widthMax = 160
/** Letters shown before a place that is too far to the right. */
const leadMin = 20

export function excerpt(
  { line, column, endLine, endColumn }: Place,
  lines: readonly string[],
  { paint, columns }: Look & { readonly paint: Paint },
): string[] {
  const text = textOf(lines, line)
  if (text === undefined) return []
  const gutter = String(line).length + 2
  const width = Math.max(leadMin * 2, Math.min(widthMax, columns ?? widthMax) - gutter - 4)
  const end = endLine === line ? endColumn : text.trimEnd().length + 1
  const from = end - 1 <= width ? 0 : Math.max(0, column - 1 - leadMin)
  const cut = (whole: string) => {
    const part = printableLine(whole.slice(from, from + width))
    return (from > 0 && part !== '' ? '…' : '') + part + (whole.length > from + width ? '…' : '')
  }
  const show = (number: number, whole: string) =>
    `${paint('blue', `${String(number).padStart(gutter)} |`)} ${cut(whole)}`.trimEnd()
  const lead = (from > 0 ? ' ' : '') + blanks(printableLine(text.slice(from, column - 1)))
  const carets = '^'.repeat(
    Math.max(1, blanks(printableLine(text.slice(column - 1, Math.min(end - 1, from + width)))).length),
  )
  const before = textOf(lines, line - 1)
  return [
    ...(before === undefined ? [] : [show(line - 1, before)]),
    show(line, text),
    `${paint('blue', `${' '.repeat(gutter)} |`)} ${lead}${paint('red', carets)}`,
  ]
}

/** Returns a line without its end and without a byte order mark, which columns do not count. */
function textOf(lines: readonly string[], line: number): string | undefined {
  return lines[line - 1]?.replace(/\r?\n$/, '').replace(/^\ufeff/, '')
}
