// Splits the output of `helm template` by the templates that wrote it.
import type { SourceFile } from '../decode/document.ts'
import { readMarks, type TemplateLine } from './mark-lines.ts'

export type RenderedFile = SourceFile & {
  /** The template's line of each line of the text. */
  readonly origins: readonly (TemplateLine | undefined)[]
}

/** `marked`: the output for the marked copy of the chart. Undefined: there is none, so no line has a known origin. */
export function splitHelmOutput(
  output: string,
  marked: string | undefined,
  files: readonly string[],
): readonly RenderedFile[] {
  const origins = marked === undefined ? [] : readMarks(output, marked, files)
  const parts = new Map<string, { lines: string[]; origins: (TemplateLine | undefined)[] }>()
  let source = 'chart'
  const lines = output.split('\n')
  for (const [index, line] of lines.entries()) {
    if (line === '---') source = /^# Source: (.+)$/.exec(lines[index + 1] ?? '')?.[1] ?? source
    const part = parts.get(source) ?? { lines: [], origins: [] }
    parts.set(source, part)
    part.lines.push(line)
    part.origins.push(origins[index])
  }
  return [...parts].map(([name, part]) => ({
    path: `${name} (rendered by helm)`,
    text: part.lines.join('\n'),
    origins: part.origins,
  }))
}
