// A baseline file: it lists known findings, so that a report shows only new ones.
// Entries are keyed by fingerprint, which does not change when lines move.
import { textAt, valueAt } from '../lib/read-json.ts'
import type { Finding } from './finding.ts'
import { fingerprints } from './fingerprint.ts'

/** The file of each fingerprint, named from the root of the repository. Null: the finding had no file. */
export type Baseline = ReadonlyMap<string, string | null>
/** Names a file from the repository's root, so that a baseline is valid in every folder of the repository. */
type NameOf = (file: string) => string
type Here = {
  readonly nameOf: NameOf
  /** Whether a file of the baseline was examined, or no longer exists. The findings of any other file are unknown. */
  readonly isSettled: (name: string) => boolean
}

/** Returns the text of a baseline: one entry a line, sorted, so that version control shows what changed. */
export function writeBaseline(findings: readonly Finding[], nameOf: NameOf): string {
  const prints = fingerprints(findings, nameOf)
  const entries = findings.map(({ rule, object, place }, index) => {
    const name = [object.namespace, object.kind, object.name].filter((part) => part !== undefined).join('/')
    return JSON.stringify({ rule, file: place ? nameOf(place.file) : null, object: name, fingerprint: prints[index] })
  })
  return `{"version": 1, "findings": [\n${entries.sort().join(',\n')}\n]}\n`
}

/** Throws an Error with a sentence if the text is not a baseline. */
export function readBaseline(text: string): Baseline {
  const value: unknown = JSON.parse(text)
  const version = valueAt(value, 'version')
  if (version !== 1) throw new Error(`it has version ${JSON.stringify(version)}, not 1`)
  const entries = valueAt(value, 'findings')
  if (!Array.isArray(entries)) throw new Error('it has no list of findings')
  const prints = entries.map((entry) => {
    const print = textAt(entry, 'fingerprint')
    if (print === undefined || !/^[0-9a-f]{16}:\d+$/.test(print)) throw new Error('a finding has no fingerprint')
    return [print, textAt(entry, 'file') ?? null] as const
  })
  return new Map(prints)
}

/** `stale`: the number of entries whose finding no longer exists. */
export function compareToBaseline(findings: readonly Finding[], baseline: Baseline, { nameOf, isSettled }: Here) {
  const prints = fingerprints(findings, nameOf)
  const isKnown = (_: Finding, index: number) => baseline.has(prints[index] ?? '')
  const present = new Set(prints)
  return {
    fresh: findings.filter((finding, index) => !isKnown(finding, index)),
    known: findings.filter(isKnown),
    stale: [...baseline].filter(([print, file]) => !present.has(print) && (file === null || isSettled(file))).length,
  }
}
