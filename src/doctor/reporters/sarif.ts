// Findings as SARIF 2.1.0, in the part that GitHub's code scanning reads: exact regions, fixes, fingerprints, silenced results.
import type { Finding, Place, Severity } from '../finding.ts'
import { fingerprints } from '../fingerprint.ts'
import { diffLines } from '../line-diff.ts'
import type { Rule } from '../rule.ts'
import type { Report } from './report.ts'
import { nameOf } from './wording.ts'

/** `prefix`: the examined folder as a path from the repository's root, `''` or with a slash at its end. */
export function reportSarif(report: Report, { prefix }: { readonly prefix: string }): string {
  const uriOf = (file: string) => uri(prefix, file)
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'dayfly doctor',
            semanticVersion: report.tool,
            rules: report.rules.map((rule) => describeRule(rule, report.pages.get(rule.slug))),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: notifications(report, uriOf) }],
        results: results(report, uriOf),
      },
    ],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

type UriOf = (file: string) => string

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }
const precisions = { high: 'very-high', medium: 'medium', low: 'low' } as const

function describeRule(rule: Rule, page: string | undefined): object {
  const { slug, code, title, severity, confidence, modes } = rule
  const link = page && /^- (https:\S+)/m.exec(page.slice(page.indexOf('## Evidence')))?.[1]
  return {
    id: code,
    name: slug,
    shortDescription: { text: title },
    fullDescription: { text: title },
    ...(link && { helpUri: link }),
    help: {
      text: `${title}. "dayfly doctor explain ${code}" says why, and when not.`,
      ...(page && { markdown: page }),
    },
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: ['reliability', 'kubernetes', 'ci-runners', ...modes],
      precision: precisions[confidence],
      'problem.severity': severity === 'info' ? 'recommendation' : severity,
    },
  }
}

function results(report: Report, uriOf: UriOf): readonly object[] {
  const numbers = new Map(report.rules.map(({ slug }, index) => [slug, index]))
  const all = [
    ...report.findings.map((finding) => ({ finding, suppressions: [] })),
    ...report.suppressed.map(({ finding, reason }) => ({
      finding,
      suppressions: [{ kind: 'inSource', ...(reason !== '' && { justification: reason }) }],
    })),
    ...report.known.map((finding) => ({
      finding,
      suppressions: [{ kind: 'external', justification: 'known from the baseline' }],
    })),
  ]
  const prints = fingerprints(all.map(({ finding }) => finding))
  return all.map(({ finding, suppressions }, index) => ({
    ruleId: finding.code,
    ruleIndex: numbers.get(finding.rule),
    level: levels[finding.severity],
    message: { text: `${nameOf(finding)}: ${finding.message}` },
    locations: [locationOf(finding, uriOf)],
    ...(finding.related.length > 0 && {
      relatedLocations: finding.related.map(({ place, message }, id) => ({
        id,
        ...physical(place, uriOf),
        message: { text: message },
      })),
    }),
    partialFingerprints: { primaryLocationLineHash: prints[index] },
    ...fixesOf(finding, report, uriOf),
    ...(suppressions.length > 0 && { suppressions }),
    properties: { confidence: finding.confidence, ...(finding.fix && { fix: finding.fix.safety }) },
  }))
}

function locationOf(finding: Finding, uriOf: UriOf): object {
  const { object, container, place } = finding
  const parts = [object.namespace, object.kind, object.name, container].filter((part) => part !== undefined)
  return {
    ...(place && physical(place, uriOf)),
    logicalLocations: [{ fullyQualifiedName: parts.join('/'), kind: 'object' }],
  }
}

function physical(place: Place, uriOf: UriOf): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(place.file), uriBaseId: '%SRCROOT%' },
      region: {
        startLine: place.line,
        startColumn: place.column,
        endLine: place.endLine,
        endColumn: place.endColumn,
      },
    },
  }
}

/** Whole lines, of which SARIF deletes from the first column to the first column of the line behind. */
function fixesOf(finding: Finding, { texts, previews }: Report, uriOf: UriOf): object {
  const { fix, place } = finding
  const preview = previews.get(finding)
  const before = place && texts.get(place.file)
  if (!fix || !place || before === undefined || !preview || !('after' in preview)) return {}
  const replacements = diffLines(before, preview.after).map(({ from, removed, added }) => ({
    deletedRegion: deleted(before, from, removed),
    insertedContent: { text: added.join('') },
  }))
  if (replacements.length === 0) return {}
  const artifactLocation = { uri: uriOf(place.file), uriBaseId: '%SRCROOT%' }
  return { fixes: [{ description: { text: fix.title }, artifactChanges: [{ artifactLocation, replacements }] }] }
}

/** A last line without its line end goes up to its own end: there is no line behind. */
function deleted(before: string, from: number, removed: readonly string[]): object {
  const last = removed.at(-1)
  const start = startOf(before, from)
  if (last !== undefined && !last.endsWith('\n')) {
    return { ...start, endLine: from + removed.length, endColumn: last.length + 1 }
  }
  return { ...start, endLine: start.startLine + removed.length, endColumn: start.startColumn }
}

/** Behind a last line without line end, an insertion begins at that line's end. */
function startOf(before: string, from: number): { readonly startLine: number; readonly startColumn: number } {
  const lines = before.split('\n')
  const last = lines.at(-1) ?? ''
  return from >= lines.length && last !== ''
    ? { startLine: lines.length, startColumn: last.length + 1 }
    : { startLine: from + 1, startColumn: 1 }
}

/** `executionSuccessful` stays true: what could be read was examined, and the rest is named here. */
function notifications({ coverage, skippedRules, unusedSuppressions }: Report, uriOf: UriOf): readonly object[] {
  const at = (file: string, line: number | undefined) => ({
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file), uriBaseId: '%SRCROOT%' },
          ...(line !== undefined && { region: { startLine: line } }),
        },
      },
    ],
  })
  return [
    ...coverage.skipped.map(({ file, line, reason }) => {
      return { level: 'warning', message: { text: `Not examined: ${reason}` }, ...at(file, line) }
    }),
    ...skippedRules.map(({ code, reason }) => {
      return { level: 'note', message: { text: `${code} was skipped: ${reason}` }, associatedRule: { id: code } }
    }),
    ...unusedSuppressions.map(({ file, line, rule }) => {
      return { level: 'warning', message: { text: `doctor-ignore[${rule}] silences nothing.` }, ...at(file, line) }
    }),
  ]
}

function uri(prefix: string, file: string): string {
  if (file.startsWith('/')) return `file://${file.split('/').map(encodeURIComponent).join('/')}`
  return `${prefix}${file}`.split(/[\\/]/).map(encodeURIComponent).join('/')
}
