// Gives each line of a chart's template a mark that survives the rendering. The render of a marked copy of the chart then shows which line
// of a template wrote a line of the output: nothing is guessed.

/** A line of a template. Lines count from 1. */
export type TemplateLine = { readonly file: string; readonly line: number }

/** Returns the template with a comment after each line that begins with a key or a list entry as written. */
export function markLines(text: string, fileNumber: number): string {
  let isInside = false
  return text
    .split('\n')
    .map((whole, index) => {
      const begins = isInside
      isInside = endsInside(whole, isInside)
      const [, line = '', end = ''] = /^(.*?)(\r?)$/.exec(whole) ?? []
      const isMarkable =
        !begins && !isInside && /^\s*(?:- )*(?:-$|- |[\w."'/-]+:(?:\s|$))/.test(line) && !/-\}\}\s*$/.test(line)
      return isMarkable ? `${line} #@dayfly:${fileNumber}:${index + 1}@${end}` : whole
    })
    .join('\n')
}

/** Returns the template line of each line of the output. Undefined: the marks do not prove it. `files`: the templates, by number. */
export function readMarks(
  output: string,
  marked: string,
  files: readonly string[],
): readonly (TemplateLine | undefined)[] {
  const lines = output.split('\n')
  const markedLines = marked.split('\n')
  if (lines.length !== markedLines.length) return lines.map(() => undefined)
  return lines.map((line, index) => {
    const other = markedLines[index] ?? ''
    const marks = [...other.matchAll(mark)]
    const [, file, at] = marks[0] ?? []
    const name = files[Number(file)]
    // A line that the mark changed in another way, or that several lines wrote, proves nothing.
    if (marks.length !== 1 || name === undefined || other.replace(mark, '') !== line) return undefined
    return { file: name, line: Number(at) }
  })
}

const mark = / #@dayfly:(\d+):(\d+)@/g

/** Whether an action of the template continues on the next line. */
function endsInside(line: string, isInside: boolean): boolean {
  const last = Math.max(line.lastIndexOf('{{'), line.lastIndexOf('}}'))
  return last < 0 ? isInside : line.startsWith('{{', last)
}
