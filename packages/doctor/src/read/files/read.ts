// Reads the given paths: files, folders (recursively) and globs. Bounded, in a fixed order. Unreadable files are recorded.
import path from 'node:path'
import type { Skipped, SourceFile } from '../decode/document.ts'
import { chartsAround } from './charts-around.ts'
import { expand } from './expand.ts'
import { readText } from './read-text.ts'

export type Read = {
  readonly files: readonly SourceFile[]
  readonly skipped: readonly Skipped[]
  /** Charts around the files. Only their Kubernetes versions are used. */
  readonly charts: readonly SourceFile[]
  /** Given paths that name nothing. This is a mistake of the caller. */
  readonly missing: readonly string[]
}

const filesMax = 100_000

/** `folder`: relative paths start here. A named file is always read; in folders, only files with names of manifests are. */
export function readSources(paths: readonly string[], folder: string, bytesMax?: number): Read {
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
      // Above the working folder, the name does not show which files belong to the chart.
      if (name(at).startsWith(name(chart).slice(0, -'Chart.yaml'.length))) around.set(chart, name(chart))
    }
  }
  const files: SourceFile[] = []
  for (const [file, name] of [...found].slice(0, filesMax)) {
    const text = readText(file, name, bytesMax)
    if ('text' in text) files.push(text)
    else skipped.push(text)
  }
  if (found.size > filesMax) {
    const reason = `${found.size - filesMax} files above the limit of ${filesMax}`
    skipped.push({ file: shown(folder, folder, false), line: undefined, reason })
  }
  // Most inputs have none.
  const charts = [...around].flatMap(([file, name]) => {
    const text = found.has(file) ? undefined : readText(file, name)
    return text && 'text' in text ? [text] : []
  })
  return { files, skipped, charts, missing }
}

/** Returns a path with slashes, as a person would write it. An absolute path stays one unless it leads into the folder. */
function shown(file: string, folder: string, absolute: boolean): string {
  // Most files are in the folder, and this is much cheaper than a comparison of paths.
  const isInside = file.startsWith(folder + path.sep) && !file.endsWith(path.sep)
  const relative = (isInside ? file.slice(folder.length + 1) : path.relative(folder, file)) || '.'
  const outside = /^\.\.(?:[\\/]|$)/.test(relative) || path.isAbsolute(relative)
  const end = file.endsWith(path.sep) && !(outside && absolute) ? '/' : ''
  return (outside && absolute ? file : relative).split(path.sep).join('/') + end
}
