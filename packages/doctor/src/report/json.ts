// Reports findings as JSON for programs. The shape is published: shape.ts defines it and generates the schema.
import { printableJson } from '@dayfly/kit/printable'
import type { Finding } from '../finding.ts'
import { patchFor } from '../fix/line-diff.ts'
import { pageAddress } from '../page-address.ts'
import type { Report } from './report.ts'
import type { JsonFinding, JsonReport } from './shape.ts'
import { type Gap, gapsOf, leftOutOf } from './wording.ts'

export function reportJson(report: Report): string {
  const json: JsonReport = {
    findings: report.findings.map((finding) => jsonFinding(finding, report)),
    suppressed: report.suppressed.map(({ finding, reason }) => ({ ...jsonFinding(finding, report), reason })),
    unusedSuppressions: report.unusedSuppressions.map(({ file, line, rule, reason }) => ({ file, line, rule, reason })),
    coverage: {
      ...jsonFiles(report),
      objects: report.coverage.objects,
      pods: report.coverage.pods,
      skipped: gapsOf(report).map(jsonGap),
      leftOut: leftOutOf(report).map(jsonGap),
      skippedRules: report.skippedRules.map(({ rule, code, reason }) => ({ rule, code, reason })),
      known: report.known.length,
      below: report.below.length,
      unwanted: report.unwanted,
    },
    kubernetes: {
      versions: report.version.minors.map((minor) => `1.${minor}`),
      declared: report.version.declared,
      from: report.version.from,
    },
    version: report.tool,
  }
  return `${printableJson(json, 2)}\n`
}

/** The published shape has these fields for a cluster too. */
function jsonFiles({ live, coverage }: Report): Pick<JsonReport['coverage'], 'files' | 'charts'> {
  if (live) return { files: { seen: 0, decoded: 0 }, charts: [] }
  const charts = coverage.charts.map(({ file, range, version }) => {
    return { file, range, versions: version.minors.map((minor) => `1.${minor}`) }
  })
  return { files: { seen: coverage.files.seen, decoded: coverage.files.decoded }, charts }
}

/** In a cluster, `file` is the name of a kind. */
function jsonGap({ name, line, reason }: Gap): JsonReport['coverage']['skipped'][number] {
  return { file: name, line: line ?? null, reason }
}

function jsonFinding(finding: Finding, { lines, previews }: Report): JsonFinding {
  const { rule, code, severity, confidence, object, container, message, place, fix } = finding
  const preview = previews.get(finding)
  const old = place && lines.get(place.file)
  const diff = preview && 'changes' in preview && old ? patchFor(place.file, old, preview.changes) : null
  return {
    rule,
    code,
    severity,
    confidence,
    file: place?.file ?? null,
    line: place?.line ?? null,
    column: place?.column ?? null,
    endLine: place?.endLine ?? null,
    endColumn: place?.endColumn ?? null,
    object: { ...object, namespace: object.namespace ?? null, uid: object.uid ?? null },
    container: container ?? null,
    message,
    page: pageAddress(rule),
    related: finding.related.map(({ place: at, message: why }) => ({
      file: at.file,
      line: at.line,
      column: at.column,
      message: why,
    })),
    ...(fix && {
      fix: {
        safety: fix.safety,
        safeFrom: fix.safety === 'unsafe' && fix.safeFrom !== undefined ? `1.${fix.safeFrom}` : null,
        title: fix.title,
        diff,
        refused: preview && 'refused' in preview ? preview.refused : null,
      },
    }),
  }
}
