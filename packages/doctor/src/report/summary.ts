// The end of a report for people: the counts, the coverage, and the next command.
import { printableLine } from '@dayfly/kit/printable'
import { doctorName } from '../doctor-name.ts'
import type { Finding } from '../finding.ts'
import { worstFirst } from './groups.ts'
import { type Look, painter, wrap } from './look.ts'
import type { Report } from './report.ts'
import { tableOf } from './table.ts'
import {
  count,
  describeCoverage,
  describeSafeFrom,
  describeUnused,
  fixesOf,
  type Gap,
  gapsByFile,
  leftOutOf,
  tallySeverities,
} from './wording.ts'

/** The number of unexamined files that are named. */
const gapsMax = 20

export function summarise(report: Report, look: Look & { readonly full: boolean }): string {
  const { findings, coverage, version, live } = report
  const charts = live ? [] : report.coverage.charts
  const nothing = findings.length === 0 && coverage.objects === 0
  const lines = [
    describeCoverage(report),
    ...describeGaps(report, look.full ? Number.POSITIVE_INFINITY : gapsMax),
    ...describeLeftOut(report),
    ...charts.map(({ file, range }) => `Kubernetes version of the files of ${file}: kubeVersion ${range}`),
    ...(nothing ? [] : report.skippedRules).map(
      ({ code, rule, reason }) => `  rule skipped: ${code} ${rule}: ${reason}`,
    ),
    ...describeSilenced(report),
    ...describeUnasked(report),
    ...(version.declared || live || nothing ? [] : [describeUndeclared(charts.length)]),
    ...(live ? [] : describeFixes(report)),
    ...worst(findings).map(({ code }) => `${doctorName} explain ${code}: why, and when not`),
  ]
  const title = nothing ? 'nothing was analysed: no Kubernetes object was found' : tallySeverities(findings)
  return [
    ...withSpace(tableOf(report, look)),
    painter(look)('bold', title),
    ...lines.map((line) => indent(printableLine(line), look)),
  ].join('\n')
}

/** Puts an empty line below the table. */
function withSpace(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, '']
}

/** Wraps a line of the summary and keeps its own indentation. */
function indent(line: string, { columns }: Look): string {
  const [own = ''] = /^ */.exec(line) ?? []
  return wrap(line.slice(own.length), `  ${own}`, columns)
}

function describeUndeclared(charts: number): string {
  const where = charts > 0 ? ' of other files' : ''
  return `Kubernetes version${where}: none declared, every supported one considered (--kubernetes-version)`
}

function describeGaps(report: Report, shownMax: number): readonly string[] {
  const gaps = gapsByFile(report)
  const lines = gaps.slice(0, shownMax).map(({ name, line, reason }) => {
    return `  not examined: ${name}${line === undefined ? '' : `:${line}`}: ${reason}`
  })
  return gaps.length > shownMax
    ? [...lines, `  not examined: ${count(gaps.length - shownMax, 'more file')} (--full names all)`]
    : lines
}

/** Returns one line for each reason. A reason of one part alone has its place. */
function describeLeftOut(report: Report): readonly string[] {
  const byReason = new Map<string, { readonly first: Gap; number: number }>()
  for (const first of leftOutOf(report)) {
    const known = byReason.get(first.reason)
    if (known) known.number++
    else byReason.set(first.reason, { first, number: 1 })
  }
  return [...byReason].map(([reason, { first, number }]) => {
    const where = number === 1 && first.line !== undefined ? `${first.name}:${first.line}` : count(number, 'part')
    return `  left out: ${where}: ${reason}`
  })
}

function describeSilenced({ suppressed, unusedSuppressions, rules }: Report): readonly string[] {
  const unexplained = suppressed.filter(({ reason }) => reason === '').length
  const without = unexplained === 0 ? '' : `, ${unexplained} of them without a reason`
  return [
    ...(suppressed.length > 0 ? [`${count(suppressed.length, 'finding')} silenced by comments${without}`] : []),
    ...unusedSuppressions.map((comment) => {
      const { file, line, rule } = comment
      return `  silences nothing: ${file}:${line}: doctor-ignore[${rule}]${describeUnused(comment, rules)}`
    }),
  ]
}

function describeUnasked({ known, below, unwanted }: Report): readonly string[] {
  return [
    ...(known.length > 0 ? [`${count(known.length, 'finding')} known from the baseline`] : []),
    ...(below.length > 0 ? [`${count(below.length, 'finding')} below the asked severity or confidence`] : []),
    ...(unwanted > 0
      ? [`${count(unwanted, 'finding')} left out by the configuration or by --select and --ignore`]
      : []),
  ]
}

function describeFixes(report: Report): readonly string[] {
  const { safe, unsafe, safeFrom } = fixesOf(report.findings, report)
  return [
    ...(safe > 0 ? [`${count(safe, 'safe fix', 'safe fixes')}: see --diff, apply with --fix`] : []),
    ...(unsafe > 0
      ? [`${count(unsafe, 'fix needs', 'fixes need')} your judgement: see --diff --fix=unsafe, apply with --fix=unsafe`]
      : []),
    ...(safeFrom ? [describeSafeFrom(safeFrom)] : []),
  ]
}

/** Returns the first of the most severe findings. */
function worst(findings: readonly Finding[]): readonly Finding[] {
  return worstFirst(findings).slice(0, 1)
}
