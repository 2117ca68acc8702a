// Makes the report short for readers: paths that share their verdict become one line. The JSON report has every path.
import { shortened } from '../shorten.ts'
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
