// A baseline file: it lists known findings, so that a report shows only new ones.
// An entry recognizes its finding on any line, and in a renamed folder.
import { textAt, valueAt } from '@dayfly/kit/read-json'
import type { Finding } from './finding.ts'
import { fingerprint } from './fingerprint.ts'

/** One known finding. `file` is named from the root of the repository. Null: the finding had no file. */
type Entry = { readonly file: string | null; readonly fingerprint: string }
export type Baseline = readonly Entry[]
/** Names a file from the repository's root, so that a baseline is valid in every folder of the repository. */
type NameOf = (file: string) => string
type Here = {
  readonly nameOf: NameOf
  /** Whether a file of the baseline was examined. */
  readonly isExamined: (name: string) => boolean
  /** Whether a file of the baseline no longer exists: it was deleted, moved, or its folder has a new name. */
  readonly isGone: (name: string) => boolean
}

/** Returns the text of a baseline: one entry a line, sorted, so that version control shows what changed. */
export function writeBaseline(findings: readonly Finding[], nameOf: NameOf): string {
  const entries = findings.map((finding) => {
    const { rule, object, place } = finding
    const name = [object.namespace, object.kind, object.name].filter((part) => part !== undefined).join('/')
    const file = place ? nameOf(place.file) : null
    return JSON.stringify({ rule, file, object: name, fingerprint: fingerprint(finding) })
  })
  return `{"version": 2, "findings": [\n${entries.sort().join(',\n')}\n]}\n`
}

/** Throws an Error with a sentence if the text is not a baseline. */
export function readBaseline(text: string): Baseline {
  const value: unknown = JSON.parse(text)
  const version = valueAt(value, 'version')
  if (version !== 2) throw new Error(`it has version ${JSON.stringify(version)}, not 2`)
  const entries = valueAt(value, 'findings')
  if (!Array.isArray(entries)) throw new Error('it has no list of findings')
  return entries.map((entry) => {
    const print = textAt(entry, 'fingerprint')
    if (print === undefined || !/^[0-9a-f]{16}$/.test(print)) throw new Error('a finding has no fingerprint')
    return { file: textAt(entry, 'file') ?? null, fingerprint: print }
  })
}

/**
 * An entry covers one finding with its fingerprint: in its own file or, once that file is gone, in any other file.
 * So a renamed folder keeps its entries, and a copy beside the original is new. `stale`: the number of entries whose finding no longer exists.
 */
export function compareToBaseline(findings: readonly Finding[], baseline: Baseline, here: Here) {
  const own = countEntries(baseline, ({ file, fingerprint: print }) => keyOf(print, file))
  const known = new Set(findings.filter((finding) => take(own, keyOf(fingerprint(finding), fileOf(finding, here)))))
  const isMoved = ({ file }: Entry) => file !== null && here.isGone(file)
  const left = unused(baseline, own)
  const moved = countEntries(left.filter(isMoved), ({ fingerprint: print }) => print)
  for (const finding of findings) if (!known.has(finding) && take(moved, fingerprint(finding))) known.add(finding)
  const movedLeft = [...moved.values()].reduce((sum, number) => sum + number, 0)
  const settled = left.filter((entry) => !isMoved(entry) && (entry.file === null || here.isExamined(entry.file)))
  return {
    fresh: findings.filter((finding) => !known.has(finding)),
    known: findings.filter((finding) => known.has(finding)),
    stale: movedLeft + settled.length,
  }
}

function fileOf({ place }: Finding, { nameOf }: Here): string | null {
  return place ? nameOf(place.file) : null
}

function keyOf(print: string, file: string | null): string {
  return `${print}\0${file ?? ''}`
}

function countEntries(entries: Baseline, key: (entry: Entry) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(key(entry), (counts.get(key(entry)) ?? 0) + 1)
  return counts
}

/** Uses one of the entries with this key. Returns whether there was one. */
function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0
  if (left > 0) counts.set(key, left - 1)
  return left > 0
}

/** Returns as many entries of each key as are left. */
function unused(baseline: Baseline, left: ReadonlyMap<string, number>): Baseline {
  const remaining = new Map(left)
  return baseline.filter(({ file, fingerprint: print }) => take(remaining, keyOf(print, file)))
}
