// Reports findings as SARIF 2.1.0, in the subset that GitHub's code scanning reads: exact regions, fixes, fingerprints, suppressed results.
import { printableJson } from '@dayfly/kit/printable'
import { doctorName } from '../doctor-name.ts'
import { type Finding, type ObjectRef, type Place, type Severity, severities } from '../finding.ts'
import { fingerprints } from '../fingerprint.ts'
import { doctorAddress, pageAddress } from '../page-address.ts'
import type { Rule } from '../rule.ts'
import { withoutMarks } from '../rule-page.ts'
import type { Report } from './report.ts'
import { inRepository, type RepositoryPaths } from './repository-paths.ts'
import { describeUnused, gapsOf, nameOf } from './wording.ts'

export function reportSarif(report: Report, paths: RepositoryPaths): string {
  const artifactOf = (file: string) => artifact(inRepository(file, paths))
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
            informationUri: doctorAddress,
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
        results: results(all, report, artifactOf),
      },
    ],
  }
  return `${printableJson(log, 2)}\n`
}

type ArtifactOf = (file: string) => object
/** `suppressions`: the reasons why a finding is known or silenced. */
type Result = { readonly finding: Finding; readonly suppressions: readonly object[] }

/** GitHub refuses a run with more results, and shows the 5,000 most severe. */
const resultsMax = 25_000

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }
const precisions = { high: 'very-high', medium: 'medium', low: 'low' } as const

function describeRule(rule: Rule, page: string | undefined): object {
  const { slug, code, title, severity, confidence, modes } = rule
  return {
    id: code,
    name: slug,
    shortDescription: { text: title },
    fullDescription: { text: title },
    helpUri: pageAddress(slug),
    help: {
      text: `${title}. "${doctorName} explain ${code}" says why, and when not; so does ${pageAddress(slug)}`,
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

/** Returns the most severe results if there are too many. */
function limit(all: readonly Result[]): readonly Result[] {
  if (all.length <= resultsMax) return all
  return severities
    .flatMap((severity) => all.filter(({ finding }) => finding.severity === severity))
    .slice(0, resultsMax)
}

function results(all: readonly Result[], report: Report, artifactOf: ArtifactOf): readonly object[] {
  const numbers = new Map(report.rules.map(({ slug }, index) => [slug, index]))
  const shown = limit(all)
  const prints = fingerprints(shown.map(({ finding }) => finding))
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
    // GitHub's own name is primaryLocationLineHash. Its upload step computes that value, and warns about any other.
    partialFingerprints: { 'dayflyDoctor/v2': prints[index] },
    ...fixesOf(finding, report, artifactOf),
    ...(suppressions.length > 0 && { suppressions }),
    properties: { confidence: finding.confidence, ...(finding.fix && { fix: finding.fix.safety }) },
  }))
}

function locationOf(finding: Finding, artifactOf: ArtifactOf): object {
  const { object, container, place } = finding
  const parts = [object.namespace, object.kind, object.name, container].filter((part) => part !== undefined)
  return {
    ...(place ? physical(place, artifactOf) : inCluster(object)),
    logicalLocations: [{ name: container ?? object.name, fullyQualifiedName: parts.join('/'), kind: 'resource' }],
  }
}

/**
 * GitHub's code scanning shows no result without a file. So an object of a cluster gets a path that only names it, as a result that belongs to
 * no line gets line 1: https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 */
function inCluster({ namespace, kind, name }: ObjectRef): object {
  const parts = ['cluster', ...(namespace === undefined ? [] : [namespace]), kind, name === '' ? '_' : name]
  const uri = parts.map(encodeURIComponent).join('/')
  return { physicalLocation: { artifactLocation: { uri, uriBaseId: '%SRCROOT%' }, region: { startLine: 1 } } }
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

/** Returns replacements of whole lines. SARIF deletes from the first column to the first column of the next line. */
function fixesOf(finding: Finding, { lines, previews }: Report, artifactOf: ArtifactOf): object {
  const { fix, place } = finding
  const preview = previews.get(finding)
  const old = place && lines.get(place.file)
  if (!fix || !old || !preview || !('changes' in preview)) return {}
  const replacements = preview.changes.map(({ from, removed, added }) => ({
    deletedRegion: deleted(old, from, removed),
    // Regions do not count a byte order mark.
    insertedContent: { text: added.join('').replace(/^\ufeff/, '') },
  }))
  const artifactLocation = artifactOf(place.file)
  return { fixes: [{ description: { text: fix.title }, artifactChanges: [{ artifactLocation, replacements }] }] }
}

/** A last line without a line end is deleted up to its own end, because no line follows. */
function deleted(old: readonly string[], from: number, removed: readonly string[]): object {
  const last = removed.at(-1)
  const start = startOf(old, from)
  if (last !== undefined && !last.endsWith('\n')) {
    return { ...start, endLine: from + removed.length, endColumn: last.length + 1 }
  }
  return { ...start, endLine: start.startLine + removed.length, endColumn: start.startColumn }
}

/** An insertion after a last line without a line end begins at that line's end. */
function startOf(old: readonly string[], from: number): { readonly startLine: number; readonly startColumn: number } {
  const last = old.at(-1)
  return from >= old.length && last !== undefined && !last.endsWith('\n')
    ? { startLine: old.length, startColumn: last.length + 1 }
    : { startLine: from + 1, startColumn: 1 }
}

/** `executionSuccessful` stays true: everything readable was examined, and these notifications name the rest. */
function notifications(report: Report, artifactOf: ArtifactOf): readonly object[] {
  const { skippedRules, unusedSuppressions, rules, live } = report
  const at = (file: string, line: number | undefined) => {
    if (live) return {}
    const region = line === undefined ? {} : { region: { startLine: line } }
    return { locations: [{ physicalLocation: { artifactLocation: artifactOf(file), ...region } }] }
  }
  return [
    ...gapsOf(report).map(({ name, line, reason }) => {
      const what = live ? `${name}: ` : ''
      return { level: 'warning', message: { text: `Not examined: ${what}${reason}` }, ...at(name, line) }
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

/** A file outside the repository has no base for a relative URI. */
function artifact(file: string): object {
  const uri = file.split('/').map(encodeURIComponent).join('/')
  if (file.startsWith('/')) return { uri: `file://${uri}` }
  const drive = /^[a-z]:\//i.test(file)
  return drive ? { uri: `file:///${uri.replace('%3A', ':')}` } : { uri, uriBaseId: '%SRCROOT%' }
}
