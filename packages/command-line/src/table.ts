// Text for terminals: aligned tables and wrapped paragraphs. Text from outside becomes printable first, so that columns stay.
import { printableLine } from '@dayfly/kit/printable'

export type Column = { readonly title: string; readonly align?: 'right' }

/** Returns the lines of a table. Columns are as wide as their widest cell; the last one is cut at `width`. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => row.map(printableLine))]
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => (row[index] ?? '').length)))
  return cells.map((row) => {
    const line = columns
      .map(({ align }, index) => {
        const cell = row[index] ?? ''
        const room = widths[index] ?? 0
        return align === 'right' ? cell.padStart(room) : cell.padEnd(room)
      })
      .join('  ')
      .trimEnd()
    return line.length > width ? `${line.slice(0, width - 1)}…` : line
  })
}

/** Breaks a text at spaces. The first line begins with `first`, the others with as many spaces. A longer word has a line of its own. */
export function wrap(text: string, first: string, width: number): readonly string[] {
  const indent = ' '.repeat(first.length)
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of printableLine(text).split(' ').filter(Boolean)) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent
      empty = true
    }
    line = empty ? line + word : `${line} ${word}`
    empty = false
  }
  return empty ? lines : [...lines, line]
}
