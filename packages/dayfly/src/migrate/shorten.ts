// Makes the report of an import short for readers. The JSON report has every path.

/** The fate of one path of an input. */
export type ReportLine = {
  readonly file: string
  readonly path: string
  readonly is: string
  readonly sentence: string
}

/** Replaces several lines by one line of the path above them, if everything below that path has the same verdict and sentence. */
export function shortened<Line extends ReportLine>(lines: readonly Line[], all: readonly Line[]): readonly Line[] {
  const verdicts = new Map<string, Set<string>>()
  const paths = new Map<string, Set<string>>()
  for (const { file, path, is, sentence } of all) {
    for (const prefix of prefixesOf(path)) {
      const above = `${file} ${prefix}`
      verdicts.set(above, (verdicts.get(above) ?? new Set()).add(`${is} ${sentence}`))
      paths.set(above, (paths.get(above) ?? new Set()).add(path))
    }
  }
  const isOne = (above: string) => verdicts.get(above)?.size === 1 && (paths.get(above)?.size ?? 0) > 1
  const shown = new Map<string, Line>()
  for (const line of lines) {
    const path = prefixesOf(line.path).find((prefix) => isOne(`${line.file} ${prefix}`)) ?? line.path
    // One path may have two fates: a number that is the maximum and the minimum.
    shown.set(`${line.file} ${path} ${line.is} ${line.sentence}`, { ...line, path })
  }
  return [...shown.values()]
}

/** Returns the path and the paths above it, the shortest first. */
function prefixesOf(path: string): readonly string[] {
  const parts = path.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|\.?[^.[\]]+/g) ?? [path]
  return parts.map((_part, index) => parts.slice(0, index + 1).join(''))
}
