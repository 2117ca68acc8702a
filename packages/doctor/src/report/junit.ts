// Reports findings as JUnit: a suite for each file, a failed case for each finding, and one passed case for the coverage.
// Jenkins refuses what is not in its schema, such as a file or a line of a case:
// https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
import type { Finding } from '../finding.ts'
import { pageAddress } from '../page-address.ts'
import type { Report } from './report.ts'
import { describeCoverage, gapsOf, nameOf } from './wording.ts'

export function reportJunit(report: Report): string {
  const { findings, skippedRules } = report
  const files = new Map<string, Finding[]>()
  for (const finding of findings) {
    const file = finding.place?.file ?? 'cluster'
    files.set(file, [...(files.get(file) ?? []), finding])
  }
  const suites = [...files].map(([file, found]) => suite(file, found.map(failed), found.length))
  const gaps = [
    ...gapsOf(report).map(({ name, reason }) => skipped(name, reason)),
    ...skippedRules.map(({ code, rule, reason }) => skipped(`${code} ${rule}`, reason)),
  ]
  const passed = `    <testcase name="${escapeXml(describeCoverage(report))}" classname="dayfly.doctor"/>\n`
  const all = [...suites, suite('coverage', [passed, ...gaps], 0, gaps.length)].join('')
  const total = findings.length + gaps.length + 1
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="dayfly doctor" tests="${total}" failures="${findings.length}" errors="0">\n${all}</testsuites>\n`
}

function suite(name: string, cases: readonly string[], failures: number, gaps = 0): string {
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${gaps}"`
  return `  <testsuite name="${escapeXml(name)}" ${counts}>\n${cases.join('')}  </testsuite>\n`
}

function failed(finding: Finding): string {
  const { code, rule, severity, confidence, message, place } = finding
  const at = place ? `${place.file}:${place.line}:${place.column} ` : ''
  const name = `${code} ${rule}: ${nameOf(finding)}`
  const text = `${at}${severity}, ${confidence} confidence\n${message}\n${pageAddress(rule)}`
  return `    <testcase name="${escapeXml(name)}" classname="dayfly.doctor.${rule}">\n      <failure type="${severity}" message="${escapeXml(message)}">${escapeXml(text)}</failure>\n    </testcase>\n`
}

function skipped(name: string, reason: string): string {
  return `    <testcase name="${escapeXml(name)}" classname="dayfly.doctor"><skipped message="${escapeXml(reason)}"/></testcase>\n`
}

/** Escapes a text. XML 1.0 cannot express most control characters. */
function escapeXml(text: string): string {
  return text
    .replace(
      /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\n/g, '&#10;')
    .replace(/##(?=\[)/g, '#&#35;')
}
