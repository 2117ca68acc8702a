// Findings that are known and taken as they are: written once, then only new ones are reported. Keyed by fingerprint, so that lines may move.
import { textAt, valueAt } from '../lib/read-json.ts'
import type { Finding } from './finding.ts'
import { fingerprints } from './fingerprint.ts'

/** The file of each fingerprint, as the repository names it; null: it stood in none. */
export type Baseline = ReadonlyMap<string, string | null>
/** The name of a file from the repository's root, so that a baseline holds in every folder of it. */
type NameOf = (file: string) => string
type Here = {
  readonly nameOf: NameOf
  /** Whether a file of the baseline was examined, or is gone: of others nothing is known. */
  readonly isSettled: (name: string) => boolean
}

/** One entry a line and sorted, so that a version control system shows what changed. */
export function writeBaseline(findings: readonly Finding[], nameOf: NameOf): string {
  const prints = fingerprints(findings, nameOf)
  const entries = findings.map(({ rule, object, place }, index) => {
    const name = [object.namespace, object.kind, object.name].filter((part) => part !== undefined).join('/')
    return JSON.stringify({ rule, file: place ? nameOf(place.file) : null, object: name, fingerprint: prints[index] })
  })
  return `{"version": 1, "findings": [\n${entries.sort().join(',\n')}\n]}\n`
}

/** Throws an Error with a sentence on a text that is no baseline. */
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

/** `stale`: entries whose finding is gone for certain. */
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
