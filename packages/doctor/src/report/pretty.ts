// Reports findings for people: the source with carets, the fix as a diff, and a summary of the coverage.
import { printableLine } from '@dayfly/kit/printable'
import type { Finding, Fix } from '../finding.ts'
import { patchFor } from '../fix/line-diff.ts'
import { pageAddress } from '../page-address.ts'
import { excerpt } from './excerpt.ts'
import { type Group, groupByRule, worstFirst } from './groups.ts'
import { type Look, link, type Paint, painter, wrap } from './look.ts'
import type { Report } from './report.ts'
import { summarise } from './summary.ts'
import { count, nameOf } from './wording.ts'

/** From this number of findings on, each rule shows one of its findings completely, and only the places of some others. */
const manyMin = 11
const placesMax = 5
const rulesMax = 10
/** The lines of a fix that a report of many findings shows. */
const diffLinesMax = 14

/** `full`: shows every finding completely, also if there are many. */
export function reportPretty(report: Report, look: Look & { readonly full: boolean }): string {
  const painted = { ...look, paint: painter(look) }
  const groups = groupByRule(report.findings)
  const isShort = report.findings.length >= manyMin && !look.full
  const shown = isShort
    ? [...groups.slice(0, rulesMax).map((group) => describeGroup(group, report, painted)), ...describeRest(groups)]
    : look.full
      ? groups.flatMap(({ findings }) => findings.map((finding) => describe(finding, report, painted)))
      : worstFirst(report.findings).map((finding) => describe(finding, report, painted))
  return `${[...shown, summarise(report, look)].join('\n\n')}\n`
}

/** Returns the first finding of a rule completely, and the places of others. */
function describeGroup({ findings }: Group, report: Report, look: Painted): string {
  const [first, ...others] = findings
  if (!first) return ''
  const number = others.length === 0 ? '' : ` (${findings.length} findings)`
  const more = others.length - placesMax
  return [
    describe(first, report, look, { number, diffMax: diffLinesMax }),
    ...others.slice(0, placesMax).map((other) => `  also ${printableLine(atOf(other) + nameOf(other))}`),
    ...(more > 0 ? [`  and ${more} more (--full shows all)`] : []),
  ].join('\n')
}

function describeRest(groups: readonly Group[]): readonly string[] {
  const more = groups.length - rulesMax
  return more > 0 ? [`${count(more, 'more rule')}: see the table (--full shows all)`] : []
}

function atOf({ place }: Finding): string {
  return place ? `${place.file}:${place.line}:${place.column}  ` : ''
}

const styles = { error: 'red', warning: 'yellow', info: 'blue' } as const

type Painted = Look & { readonly paint: Paint }

type Brief = { readonly number: string; readonly diffMax: number }
const complete: Brief = { number: '', diffMax: Number.POSITIVE_INFINITY }

function describe(finding: Finding, report: Report, look: Painted, { number, diffMax } = complete): string {
  const { severity, code, rule, confidence, message, place } = finding
  const { paint, columns } = look
  const doubt = confidence === 'high' ? '' : paint('dim', ` (${confidence} confidence)`)
  const lines = place && report.lines.get(place.file)
  return [
    `${paint(styles[severity], severity)} ${link(look, pageAddress(rule), paint('bold', `${code} ${rule}`))}${number}${doubt}`,
    wrap(printableLine(message), '  ', columns),
    `  ${paint('blue', '-->')} ${printableLine(atOf(finding) + nameOf(finding))}`,
    ...(place && lines ? excerpt(place, lines, look) : []),
    ...finding.related.map(
      ({ place: { file, line }, message: why }) => `  ${printableLine(`${file}:${line}: ${why}`)}`,
    ),
    ...describeFix(finding, report, look, diffMax),
  ].join('\n')
}

function describeFix(
  finding: Finding,
  { lines, previews }: Report,
  { paint, columns }: Painted,
  diffMax: number,
): string[] {
  const { fix, place } = finding
  if (!fix) return []
  const title = wrap(`fix (${safetyOf(fix)}): ${printableLine(fix.title)}`, '  ', columns)
  const preview = previews.get(finding)
  if (preview && 'refused' in preview) {
    return [title, paint('dim', wrap(`not made here: ${printableLine(preview.refused)}`, '    ', columns))]
  }
  const old = place && lines.get(place.file)
  if (!preview || !old) return [title]
  const diff = patchFor(place.file, old, preview.changes).split('\n').slice(2, -1)
  const more = diff.length - diffMax
  return [
    title,
    ...diff.slice(0, diffMax).map((line) => `    ${colourDiff(printableLine(line), paint)}`),
    ...(more > 0 ? [`    and ${more} more lines (--diff, --full)`] : []),
  ]
}

function safetyOf({ safety, safeFrom }: Fix): string {
  return safeFrom === undefined ? safety : `${safety}; safe from Kubernetes 1.${safeFrom}`
}

function colourDiff(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint('green', line)
  if (line.startsWith('-')) return paint('red', line)
  return paint('dim', line)
}
