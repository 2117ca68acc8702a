// Reports findings as annotations of GitHub Actions: workflow commands on stdout, which GitHub shows beside the changed lines.
import { printable } from '@dayfly/kit/printable'
import { type Finding, type Severity, severities } from '../finding.ts'
import { pageAddress } from '../page-address.ts'
import type { Report } from './report.ts'
import { inRepository, type RepositoryPaths } from './repository-paths.ts'
import { count, describeCoverage, describeUnused, gapsByFile, nameOf, tallySeverities } from './wording.ts'

/** GitHub shows at most ten annotations of each level a step. The others are only in the log. */
const shownMax = 10

/** Returns one line a finding, the most severe first, then the unexamined parts and a summary. */
export function reportGithub(report: Report, paths: RepositoryPaths): string {
  const commands = [...annotations(report, paths), ...remarks(report, paths)]
  const shown = new Map<string, number>()
  const lines = commands.map(({ level, at, properties, message }) => {
    const number = (shown.get(level) ?? 0) + 1
    shown.set(level, number)
    // The log shows only the message, so a message without an annotation must name its place.
    return command(level, properties, number > shownMax && at !== '' ? `${at}: ${message}` : message)
  })
  return [...lines, ...summary(report, shown)].map((line) => `${line}\n`).join('')
}

type Level = 'error' | 'warning' | 'notice'
type Properties = Readonly<Record<string, string | number | undefined>>
type Command = {
  readonly level: Level
  readonly at: string
  readonly properties: Properties
  readonly message: string
}

const levels: Readonly<Record<Severity, Level>> = { error: 'error', warning: 'warning', info: 'notice' }

function annotations({ findings }: Report, paths: RepositoryPaths): readonly Command[] {
  const sorted = severities.flatMap((severity) => findings.filter((finding) => finding.severity === severity))
  return sorted.map((finding) => annotation(finding, paths))
}

function annotation(finding: Finding, paths: RepositoryPaths): Command {
  const { code, rule, severity, place, message } = finding
  const file = place && inRepository(place.file, paths)
  const sameLine = place && place.line === place.endLine
  const properties = {
    file,
    line: place?.line,
    endLine: place?.endLine,
    // GitHub refuses columns of a range over several lines.
    col: sameLine ? place.column : undefined,
    endColumn: sameLine ? place.endColumn : undefined,
    title: `${code} ${rule}`,
  }
  const at = place ? `${file}:${place.line}:${place.column}` : ''
  return { level: levels[severity], at, properties, message: `${nameOf(finding)}: ${message} ${pageAddress(rule)}` }
}

function remarks(report: Report, paths: RepositoryPaths): readonly Command[] {
  const { unusedSuppressions, rules, live } = report
  const warning = (file: string, line: number | undefined, message: string): Command => {
    const name = inRepository(file, paths)
    return live
      ? { level: 'warning', at: '', properties: {}, message: `${file}: ${message}` }
      : { level: 'warning', at: name, properties: { file: name, line }, message }
  }
  return [
    ...gapsByFile(report).map(({ name, line, reason }) => warning(name, line, `Not examined: ${reason}`)),
    ...unusedSuppressions.map((comment) => {
      const { file, line, rule } = comment
      return warning(file, line, `doctor-ignore[${rule}] silences nothing here${describeUnused(comment, rules)}.`)
    }),
  ]
}

/** Returns plain lines, without workflow commands. */
function summary(report: Report, shown: ReadonlyMap<string, number>): readonly string[] {
  const more = [...shown].flatMap(([level, number]) =>
    number > shownMax ? [count(number - shownMax, `more ${level}`)] : [],
  )
  return [
    `dayfly doctor: ${tallySeverities(report.findings)}; ${describeCoverage(report)}`,
    ...(more.length > 0
      ? [`GitHub shows ${shownMax} annotations of each level a step; in this log alone: ${more.join(', ')}`]
      : []),
  ]
}

function command(name: Level, properties: Properties, message: string): string {
  const written = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapeProperty(String(value))}`],
  )
  return `::${name}${written.length > 0 ? ` ${written.join(',')}` : ''}::${escapeData(message)}`
}

function escapeData(text: string): string {
  return printable(text).replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}
