// Paths given by people → files' texts: files, folders (recursively), globs. Bounded, in a fixed order; what cannot be read is said.
import path from 'node:path'
import { chartsAround } from './charts-around.ts'
import type { Skipped, SourceFile } from './document.ts'
import { expand } from './expand.ts'
import { readText } from './read-text.ts'

export type Read = {
  readonly files: readonly SourceFile[]
  readonly skipped: readonly Skipped[]
  /** Of charts around the files: they say a version, and nothing more is asked of them. */
  readonly charts: readonly SourceFile[]
  /** Paths given that name nothing: the caller's mistake, not the input's. */
  readonly missing: readonly string[]
}

const filesMax = 100_000

/** `folder`: what relative paths start from. A file named outright is read whatever its name; in folders those with the names of manifests. */
export function readSources(paths: readonly string[], folder: string): Read {
  const skipped: Skipped[] = []
  const missing: string[] = []
  const found = new Map<string, string>()
  const around = new Map<string, string>()
  for (const given of paths) {
    const name = (file: string) => shown(file, folder, path.isAbsolute(given))
    const at = path.resolve(folder, given)
    const problems: Skipped[] = []
    const matches = expand(at, problems)
    skipped.push(...problems.map((problem) => ({ ...problem, file: name(problem.file) })))
    if (!matches) {
      missing.push(given)
      continue
    }
    for (const match of matches) if (!found.has(match)) found.set(match, name(match))
    for (const chart of chartsAround(at, matches[0] !== at)) {
      // Above the working folder a name does not tell what belongs to the chart.
      if (name(at).startsWith(name(chart).slice(0, -'Chart.yaml'.length))) around.set(chart, name(chart))
    }
  }
  const files: SourceFile[] = []
  for (const [file, name] of [...found].slice(0, filesMax)) {
    const text = readText(file, name)
    if ('text' in text) files.push(text)
    else skipped.push(text)
  }
  if (found.size > filesMax) {
    const reason = `${found.size - filesMax} files above the limit of ${filesMax}`
    skipped.push({ file: shown(folder, folder, false), line: undefined, reason })
  }
  // Mostly there is none.
  const charts = [...around].flatMap(([file, name]) => {
    const text = found.has(file) ? undefined : readText(file, name)
    return text && 'text' in text ? [text] : []
  })
  return { files, skipped, charts, missing }
}

/** With slashes, as the person would write it: an absolute path stays one unless it leads into the folder. */
function shown(file: string, folder: string, absolute: boolean): string {
  const relative = path.relative(folder, file) || '.'
  const outside = /^\.\.(?:[\\/]|$)/.test(relative) || path.isAbsolute(relative)
  const end = file.endsWith(path.sep) && !(outside && absolute) ? '/' : ''
  return (outside && absolute ? file : relative).split(path.sep).join('/') + end
}
