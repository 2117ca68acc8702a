// Moves a finding from rendered text to the line of the source that wrote it.
import type { Finding, Place } from '../../finding.ts'
import type { SourceFile } from '../decode/document.ts'
import type { RenderedFile } from './helm-output.ts'

/** Rendered text cannot be fixed, so the finding has no fix. A place without a known origin stays in the rendered text. */
export function relocateByLine(
  rendered: readonly RenderedFile[],
  sources: readonly SourceFile[],
): (finding: Finding) => Finding {
  const byPath = new Map(rendered.map((file) => [file.path, file]))
  const linesOf = new Map(sources.map(({ path, text }) => [path, text.split('\n')]))
  const move = (place: Place): Place => {
    const file = byPath.get(place.file)
    const origin = file?.origins[place.line - 1]
    const lines = origin && linesOf.get(origin.file)
    const source = lines?.[origin ? origin.line - 1 : 0]
    if (!file || !origin || !lines || source === undefined) return place
    const before = lines.slice(0, origin.line - 1).reduce((sum, line) => sum + line.length + 1, 0)
    const written = file.text.split('\n')[place.line - 1] ?? ''
    const { from, to } = columnsIn(source, written, place)
    return {
      file: origin.file,
      line: origin.line,
      column: from + 1,
      endLine: origin.line,
      endColumn: to + 1,
      start: before + from,
      end: before + to,
    }
  }
  return (finding) => ({
    ...finding,
    fix: undefined,
    place: finding.place && move(finding.place),
    related: finding.related.map((one) => ({ ...one, place: move(one.place) })),
  })
}

/** Returns offsets in the source line: the same text if it was written as it is, otherwise the whole line. */
function columnsIn(source: string, written: string, { line, column, endLine, endColumn }: Place) {
  const whole = { from: source.length - source.trimStart().length, to: source.trimEnd().length }
  if (line !== endLine || source.trim() !== written.trim()) return whole
  const shift = whole.from - (written.length - written.trimStart().length)
  return { from: column - 1 + shift, to: endColumn - 1 + shift }
}
