// Phrases that several report formats share.
import type { Suppression } from '../engine/suppressions.ts'
import type { Finding, Severity } from '../finding.ts'
import type { Skipped } from '../read/decode/document.ts'
import type { Rule } from '../rule.ts'
import type { Examined, Report } from './report.ts'

/** Returns `Job ci/runner, container docker`. */
export function nameOf({ object, container }: Finding): string {
  const name = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`
  return `${object.kind}${name === '' ? '' : ` ${name}`}${container ? `, container ${container}` : ''}`
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}

/** Returns `2 errors, 1 warning` or `no findings`. */
export function tallySeverities(findings: readonly Finding[]): string {
  const nouns: readonly (readonly [Severity, string])[] = [
    ['error', 'error'],
    ['warning', 'warning'],
    ['info', 'remark'],
  ]
  const parts = nouns.flatMap(([severity, noun]) => {
    const number = findings.filter((finding) => finding.severity === severity).length
    return number === 0 ? [] : [count(number, noun)]
  })
  return parts.length === 0 ? 'no findings' : parts.join(', ')
}

type Fixes = {
  readonly safe: number
  readonly unsafe: number
  /** The unsafe ones that a declared version makes safe, and the version that makes all of them safe. */
  readonly safeFrom: { readonly number: number; readonly minor: number } | undefined
}

/** Counts the fixes that are not refused. */
export function fixesOf(findings: readonly Finding[], { previews }: Pick<Report, 'previews'>): Fixes {
  const fixes = findings.flatMap((finding) => {
    const preview = previews.get(finding)
    return finding.fix && !(preview && 'refused' in preview) ? [finding.fix] : []
  })
  const safe = fixes.filter(({ safety }) => safety === 'safe').length
  const minors = fixes.flatMap(({ safety, safeFrom }) =>
    safety === 'unsafe' && safeFrom !== undefined ? [safeFrom] : [],
  )
  const safeFrom = minors.length === 0 ? undefined : { number: minors.length, minor: Math.max(...minors) }
  return { safe, unsafe: fixes.length - safe, safeFrom }
}

/** Says which version makes fixes safe, and how to declare it. */
export function describeSafeFrom({ number, minor }: NonNullable<Fixes['safeFrom']>): string {
  const which = number === 1 ? '1 of these fixes is' : `${number} of these fixes are`
  const version = `1.${minor}`
  return `${which} safe from Kubernetes ${version}: if your cluster has it, declare your version with --kubernetes-version ${version}, or under "clusters" in .dayfly-doctor.yaml`
}

export function describeCoverage(examined: Examined): string {
  const { objects, pods } = examined.coverage
  const skipped = gapsOf(examined).length
  const gaps = skipped === 0 ? '' : `; ${count(skipped, 'part')} not examined`
  return `${describeFiles(examined)}${count(objects, 'object')}, ${count(pods, 'pod')}${gaps}`
}

function describeFiles({ live, coverage }: Examined): string {
  if (live || coverage.files.seen === 0) return ''
  const { seen, decoded } = coverage.files
  return `${count(seen, 'file')} seen, ${decoded} with Kubernetes objects: `
}

/** A part that was not examined: a place in a file, or a kind of the cluster. */
export type Gap = { readonly name: string; readonly line: number | undefined; readonly reason: string }

/** Returns the parts that could not be examined. */
export function gapsOf({ live, coverage }: Examined): readonly Gap[] {
  if (!live) return coverage.skipped.map(gapInFile)
  return coverage.unread.map(({ kind, reason }) => ({ name: kind, line: undefined, reason }))
}

/** Returns the parts that were left out on purpose. */
export function leftOutOf({ live, coverage }: Examined): readonly Gap[] {
  if (!live) return coverage.leftOut.map(gapInFile)
  return coverage.optional.map(({ kind, reason }) => ({ name: kind, line: undefined, reason: `${kind}, ${reason}` }))
}

function gapInFile({ file, line, reason }: Skipped): Gap {
  return { name: file, line, reason }
}

/** Returns one gap for each file: a file of prose may hold a hundred. */
export function gapsByFile(examined: Examined): readonly Gap[] {
  const byFile = new Map<string, Gap[]>()
  for (const gap of gapsOf(examined)) {
    const same = byFile.get(gap.name)
    if (same) same.push(gap)
    else byFile.set(gap.name, [gap])
  }
  return [...byFile.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const more = others.length === 0 ? '' : ` (and ${count(others.length, 'more part')} of it)`
    return [{ ...first, reason: first.reason + more }]
  })
}

/** Returns why a comment silences nothing, if the reason is known. */
export function describeUnused({ rule }: Suppression, rules: readonly Rule[]): string {
  const wanted = rule.toLowerCase()
  if (rules.some(({ slug, code }) => slug === wanted || code.toLowerCase() === wanted)) return ''
  return rule === '' ? ' (name a rule: doctor-ignore[POD101]: why)' : ' (there is no such rule)'
}
