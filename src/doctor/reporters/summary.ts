// The end of a report for people: what was found, what was seen and what was not, and what to do next.
import type { Finding } from '../finding.ts'
import { clean, type Paint } from './look.ts'
import type { Report } from './report.ts'
import { count, describeCoverage, tallySeverities } from './wording.ts'

export function summarise(report: Report, paint: Paint): string {
  const { findings, coverage, skippedRules, known, below, version, live } = report
  const nothing = findings.length === 0 && coverage.objects === 0
  return [
    paint('bold', nothing ? 'nothing was analysed: no Kubernetes object was found' : tallySeverities(findings)),
    `  ${describeCoverage(coverage)}`,
    ...coverage.skipped.map(({ file, line, reason }) => {
      return `    not examined: ${clean(`${file}${line === undefined ? '' : `:${line}`}: ${reason}`)}`
    }),
    ...describeLeftOut(coverage),
    ...coverage.charts.map(({ file, range }) => {
      return `  Kubernetes version of the files of ${clean(file)}: kubeVersion ${clean(range)}`
    }),
    ...(nothing ? [] : skippedRules).map(
      ({ code, rule, reason }) => `    rule skipped: ${code} ${rule}: ${clean(reason)}`,
    ),
    ...describeSilenced(report),
    ...(known.length > 0 ? [`  ${count(known.length, 'finding')} known from the baseline`] : []),
    ...(below.length > 0 ? [`  ${count(below.length, 'finding')} below the asked severity or confidence`] : []),
    ...(version.declared || live || nothing
      ? []
      : ['  Kubernetes version: none declared, every supported one considered (--kubernetes-version)']),
    ...(live ? [] : describeFixes(report)),
    ...worst(findings).map(({ code }) => `  dayfly doctor explain ${code}: why, and when not`),
  ].join('\n')
}

/** One line for each reason. */
function describeLeftOut({ leftOut }: Report['coverage']): readonly string[] {
  const numbers = new Map<string, number>()
  for (const { reason } of leftOut) numbers.set(reason, (numbers.get(reason) ?? 0) + 1)
  return [...numbers].map(([reason, number]) => `    left out: ${count(number, 'part')}: ${clean(reason)}`)
}

function describeSilenced({ suppressed, unusedSuppressions, rules }: Report): readonly string[] {
  const unexplained = suppressed.filter(({ reason }) => reason === '').length
  const without = unexplained === 0 ? '' : `, ${unexplained} of them without a reason`
  const names = new Set(rules.flatMap(({ slug, code }) => [slug, code.toLowerCase()]))
  return [
    ...(suppressed.length > 0 ? [`  ${count(suppressed.length, 'finding')} silenced by comments${without}`] : []),
    ...unusedSuppressions.map(({ file, line, rule }) => {
      const why = names.has(rule.toLowerCase()) ? '' : ' (there is no such rule)'
      return `    silences nothing: ${clean(`${file}:${line}: doctor-ignore[${rule}]`)}${why}`
    }),
  ]
}

function describeFixes({ findings, previews }: Report): readonly string[] {
  const fixes = findings.flatMap((finding) => {
    const preview = previews.get(finding)
    return finding.fix && !(preview && 'refused' in preview) ? [finding.fix] : []
  })
  const safe = fixes.filter(({ safety }) => safety === 'safe').length
  const unsafe = fixes.length - safe
  return [
    ...(safe > 0 ? [`  ${count(safe, 'safe fix', 'safe fixes')}: --diff shows, --fix makes`] : []),
    ...(unsafe > 0
      ? [`  ${count(unsafe, 'fix', 'fixes')} to judge yourself: --diff --fix=unsafe shows, --fix=unsafe makes`]
      : []),
  ]
}

/** The first of the most severe. */
function worst(findings: readonly Finding[]): readonly Finding[] {
  const first = findings.find(({ severity }) => severity === 'error') ?? findings[0]
  return first ? [first] : []
}
