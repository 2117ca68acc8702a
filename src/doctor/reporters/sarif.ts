// Findings as SARIF 2.1.0, in the part that GitHub's code scanning reads: exact regions, fixes, fingerprints, silenced results.
import type { Finding, Place, Severity } from '../finding.ts'
import { fingerprints } from '../fingerprint.ts'
import type { Rule } from '../rule.ts'
import { withoutMarks } from '../rule-page.ts'
import type { Report } from './report.ts'
import { inRepository, type Whereabouts } from './whereabouts.ts'
import { describeUnused, nameOf } from './wording.ts'

export function reportSarif(report: Report, whereabouts: Whereabouts): string {
  const fileOf = (file: string) => inRepository(file, whereabouts)
  const artifactOf = (file: string) => artifact(fileOf(file))
  const all = listResults(report)
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
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: [...notifications(report, artifactOf), ...leftOut(all.length)],
          },
        ],
        results: results(all, report, { fileOf, artifactOf }),
      },
    ],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

type ArtifactOf = (file: string) => object
type Naming = { readonly fileOf: (file: string) => string; readonly artifactOf: ArtifactOf }
/** `suppressions`: of a finding that is known or silenced. */
type Result = { readonly finding: Finding; readonly suppressions: readonly object[] }

/** GitHub refuses a run with more, and shows the 5,000 most severe. */
const resultsMax = 25_000

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }
const precisions = { high: 'very-high', medium: 'medium', low: 'low' } as const

function describeRule(rule: Rule, page: string | undefined): object {
  const { slug, code, title, severity, confidence, modes } = rule
  const link = page && /^- (https:\S+)/m.exec(page.slice(page.indexOf('## Links')))?.[1]
  return {
    id: code,
    name: slug,
    shortDescription: { text: title },
    fullDescription: { text: title },
    ...(link && { helpUri: link }),
    help: {
      text: `${title}. "dayfly doctor explain ${code}" says why, and when not.`,
      ...(page && { markdown: withoutMarks(page) }),
    },
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: ['reliability', 'kubernetes', 'ci-runners', ...modes],
      precision: precisions[confidence],
      'problem.severity': severity === 'info' ? 'recommendation' : severity,
    },
  }
}

function listResults(report: Report): readonly Result[] {
  return [
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
}

/** Of too many the most severe. */
function limit(all: readonly Result[]): readonly Result[] {
  if (all.length <= resultsMax) return all
  const order: readonly Severity[] = ['error', 'warning', 'info']
  return order.flatMap((severity) => all.filter(({ finding }) => finding.severity === severity)).slice(0, resultsMax)
}

function results(all: readonly Result[], report: Report, { fileOf, artifactOf }: Naming): readonly object[] {
  const numbers = new Map(report.rules.map(({ slug }, index) => [slug, index]))
  const shown = limit(all)
  const prints = fingerprints(
    shown.map(({ finding }) => finding),
    fileOf,
  )
  return shown.map(({ finding, suppressions }, index) => ({
    ruleId: finding.code,
    ruleIndex: numbers.get(finding.rule),
    level: levels[finding.severity],
    message: { text: `${nameOf(finding)}: ${finding.message}` },
    locations: [locationOf(finding, artifactOf)],
    ...(finding.related.length > 0 && {
      relatedLocations: finding.related.map(({ place, message }, id) => ({
        id,
        ...physical(place, artifactOf),
        message: { text: message },
      })),
    }),
    // Not under GitHub's own name, primaryLocationLineHash: its upload step makes that itself, and warns of any other value.
    partialFingerprints: { 'dayflyDoctor/v1': prints[index] },
    ...fixesOf(finding, report, artifactOf),
    ...(suppressions.length > 0 && { suppressions }),
    properties: { confidence: finding.confidence, ...(finding.fix && { fix: finding.fix.safety }) },
  }))
}

function locationOf(finding: Finding, artifactOf: ArtifactOf): object {
  const { object, container, place } = finding
  const parts = [object.namespace, object.kind, object.name, container].filter((part) => part !== undefined)
  return {
    ...(place && physical(place, artifactOf)),
    logicalLocations: [{ name: container ?? object.name, fullyQualifiedName: parts.join('/'), kind: 'resource' }],
  }
}

function physical(place: Place, artifactOf: ArtifactOf): object {
  return {
    physicalLocation: {
      artifactLocation: artifactOf(place.file),
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
function fixesOf(finding: Finding, { lines, previews }: Report, artifactOf: ArtifactOf): object {
  const { fix, place } = finding
  const preview = previews.get(finding)
  const old = place && lines.get(place.file)
  if (!fix || !old || !preview || !('changes' in preview)) return {}
  const replacements = preview.changes.map(({ from, removed, added }) => ({
    deletedRegion: deleted(old, from, removed),
    // A byte order mark is no part of the text that regions count in.
    insertedContent: { text: added.join('').replace(/^\ufeff/, '') },
  }))
  const artifactLocation = artifactOf(place.file)
  return { fixes: [{ description: { text: fix.title }, artifactChanges: [{ artifactLocation, replacements }] }] }
}

/** A last line without its line end goes up to its own end: there is no line behind. */
function deleted(old: readonly string[], from: number, removed: readonly string[]): object {
  const last = removed.at(-1)
  const start = startOf(old, from)
  if (last !== undefined && !last.endsWith('\n')) {
    return { ...start, endLine: from + removed.length, endColumn: last.length + 1 }
  }
  return { ...start, endLine: start.startLine + removed.length, endColumn: start.startColumn }
}

/** Behind a last line without line end, an insertion begins at that line's end. */
function startOf(old: readonly string[], from: number): { readonly startLine: number; readonly startColumn: number } {
  const last = old.at(-1)
  return from >= old.length && last !== undefined && !last.endsWith('\n')
    ? { startLine: old.length, startColumn: last.length + 1 }
    : { startLine: from + 1, startColumn: 1 }
}

/** `executionSuccessful` stays true: what could be read was examined, and the rest is named here. */
function notifications(report: Report, artifactOf: ArtifactOf): readonly object[] {
  const { coverage, skippedRules, unusedSuppressions, rules, live } = report
  const at = (file: string, line: number | undefined) => {
    if (live) return {}
    const region = line === undefined ? {} : { region: { startLine: line } }
    return { locations: [{ physicalLocation: { artifactLocation: artifactOf(file), ...region } }] }
  }
  return [
    ...coverage.skipped.map(({ file, line, reason }) => {
      const what = live ? `${file}: ` : ''
      return { level: 'warning', message: { text: `Not examined: ${what}${reason}` }, ...at(file, line) }
    }),
    ...skippedRules.map(({ code, reason }) => {
      return { level: 'note', message: { text: `${code} was skipped: ${reason}` }, associatedRule: { id: code } }
    }),
    ...unusedSuppressions.map((comment) => {
      const { file, line, rule } = comment
      const text = `doctor-ignore[${rule}] silences nothing${describeUnused(comment, rules)}.`
      return { level: 'warning', message: { text }, ...at(file, line) }
    }),
  ]
}

function leftOut(results: number): readonly object[] {
  if (results <= resultsMax) return []
  const text = `${results - resultsMax} of ${results} results are left out: GitHub takes no more than ${resultsMax} of a run.`
  return [{ level: 'warning', message: { text } }]
}

/** Outside the repository there is no base that a relative URI could count from. */
function artifact(file: string): object {
  const uri = file.split('/').map(encodeURIComponent).join('/')
  if (file.startsWith('/')) return { uri: `file://${uri}` }
  const drive = /^[a-z]:\//i.test(file)
  return drive ? { uri: `file:///${uri.replace('%3A', ':')}` } : { uri, uriBaseId: '%SRCROOT%' }
}
