// Makes the report short for readers: paths that share their verdict become one line. The JSON report has every path.
import type { Line } from './convert/ledger.ts'
import type { ImportedSet } from './import.ts'

/** Lines of one part of the import. */
export type Chapter = { readonly title: string; readonly lines: readonly Line[] }

/** Returns the chapters in the order of the input. Lines of the template that are the same for all sets come once, at the end. */
export function chaptersOf(sets: readonly ImportedSet[], outside: readonly Line[]): readonly Chapter[] {
  const shared = sharedLines(sets)
  const ofSets = sets.map(({ document, group, lines }) => {
    const { name, namespace } = document.metadata
    const own = lines.filter((line) => !shared.has(keyOf(line)))
    return { title: `The set ${namespace}/${name}, from ${group}`, lines: shortened(own, lines) }
  })
  const common = (sets[0]?.lines ?? []).filter((line) => shared.has(keyOf(line)))
  const all = sets.flatMap(({ lines }) => lines)
  const template =
    common.length > 0 ? [{ title: 'The job template, for every set', lines: shortened(common, all) }] : []
  const rest =
    outside.length > 0 ? [{ title: 'The rest of the configuration', lines: shortened(outside, outside) }] : []
  return [...ofSets, ...rest, ...template]
}

function keyOf({ path, is, sentence }: Line): string {
  return JSON.stringify([path, is, sentence])
}

function sharedLines(sets: readonly ImportedSet[]): ReadonlySet<string> {
  const [first, ...others] = sets.map(
    ({ lines }) => new Set(lines.filter(({ file }) => file === 'template').map(keyOf)),
  )
  return new Set([...(first ?? [])].filter((key) => others.every((keys) => keys.has(key))))
}

/** Replaces lines by one line of the path above them, if everything below that path has the same verdict and sentence. */
function shortened(lines: readonly Line[], all: readonly Line[]): readonly Line[] {
  const verdicts = new Map<string, Set<string>>()
  for (const { file, path, is, sentence } of all) {
    for (const prefix of prefixesOf(path)) {
      const above = `${file} ${prefix}`
      verdicts.set(above, (verdicts.get(above) ?? new Set()).add(`${is} ${sentence}`))
    }
  }
  const shown = new Map<string, Line>()
  for (const line of lines) {
    const path = prefixesOf(line.path).find((prefix) => verdicts.get(`${line.file} ${prefix}`)?.size === 1) ?? line.path
    shown.set(`${line.file} ${path}`, { ...line, path })
  }
  return [...shown.values()]
}

/** Returns the path and the paths above it, the shortest first. */
function prefixesOf(path: string): readonly string[] {
  const parts = path.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|\.?[^.[\]]+/g) ?? [path]
  return parts.map((_part, index) => parts.slice(0, index + 1).join(''))
}
