// How a report says things that several formats show.
import type { Coverage } from '../engine.ts'
import type { Finding, Severity } from '../finding.ts'
import type { Rule } from '../rule.ts'
import type { Skipped } from '../sources/document.ts'
import type { Suppression } from '../suppressions.ts'

/** `Job ci/runner, container docker`. */
export function nameOf({ object, container }: Finding): string {
  const name = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`
  return `${object.kind} ${name}${container === undefined ? '' : `, container ${container}`}`
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}

/** `2 errors, 1 warning`; `no findings`. */
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

export function describeCoverage({ files, objects, pods, skipped }: Coverage): string {
  const gaps = skipped.length === 0 ? '' : `; ${count(skipped.length, 'part')} not examined`
  const seen = files.seen === 0 ? '' : `${count(files.seen, 'file')} seen, ${files.decoded} with Kubernetes objects: `
  return `${seen}${count(objects, 'object')}, ${count(pods, 'pod')}${gaps}`
}

/** What was not examined, one a file: a file of prose may hold a hundred such parts. */
export function gapsByFile(skipped: readonly Skipped[]): readonly Skipped[] {
  const byFile = new Map<string, Skipped[]>()
  for (const gap of skipped) {
    const same = byFile.get(gap.file)
    if (same) same.push(gap)
    else byFile.set(gap.file, [gap])
  }
  return [...byFile.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const more = others.length === 0 ? '' : ` (and ${count(others.length, 'more part')} of it)`
    return [{ ...first, reason: first.reason + more }]
  })
}

/** Why a comment silences nothing, where more is known than that. */
export function describeUnused({ rule }: Suppression, rules: readonly Rule[]): string {
  const wanted = rule.toLowerCase()
  if (rules.some(({ slug, code }) => slug === wanted || code.toLowerCase() === wanted)) return ''
  return rule === '' ? ' (name a rule: doctor-ignore[POD101]: why)' : ' (there is no such rule)'
}
