// Reports findings for people: the source with carets, the fix as a diff, and a summary of the coverage.
import { printableLine } from '../../lib/printable.ts'
import type { Finding } from '../finding.ts'
import { patchFor } from '../fixes/line-diff.ts'
import { excerpt } from './excerpt.ts'
import { type Look, type Paint, painter, wrap } from './look.ts'
import type { Report } from './report.ts'
import { summarise } from './summary.ts'
import { nameOf } from './wording.ts'

export function reportPretty(report: Report, look: Look): string {
  const paint = painter(look)
  const parts = [
    ...report.findings.map((finding) => describe(finding, report, { ...look, paint })),
    summarise(report, look),
  ]
  return `${parts.join('\n\n')}\n`
}

const styles = { error: 'red', warning: 'yellow', info: 'blue' } as const

type Painted = Look & { readonly paint: Paint }

function describe(finding: Finding, report: Report, look: Painted): string {
  const { severity, code, rule, confidence, message, place } = finding
  const { paint, columns } = look
  const doubt = confidence === 'high' ? '' : paint('dim', ` (${confidence} confidence)`)
  const at = place ? `${place.file}:${place.line}:${place.column}  ` : ''
  const lines = place && report.lines.get(place.file)
  return [
    `${paint(styles[severity], severity)} ${paint('bold', `${code} ${rule}`)}${doubt}`,
    wrap(printableLine(message), '  ', columns),
    `  ${paint('blue', '-->')} ${printableLine(at + nameOf(finding))}`,
    ...(place && lines ? excerpt(place, lines, look) : []),
    ...finding.related.map(
      ({ place: { file, line }, message: why }) => `  ${printableLine(`${file}:${line}: ${why}`)}`,
    ),
    ...describeFix(finding, report, look),
  ].join('\n')
}

function describeFix(finding: Finding, { lines, previews }: Report, { paint, columns }: Painted): string[] {
  const { fix, place } = finding
  if (!fix) return []
  const title = wrap(`fix (${fix.safety}): ${printableLine(fix.title)}`, '  ', columns)
  const preview = previews.get(finding)
  if (preview && 'refused' in preview) {
    return [title, paint('dim', wrap(`not made here: ${printableLine(preview.refused)}`, '    ', columns))]
  }
  const old = place && lines.get(place.file)
  if (!preview || !old) return [title]
  const diff = patchFor(place.file, old, preview.changes).split('\n').slice(2, -1)
  return [title, ...diff.map((line) => `    ${colourDiff(printableLine(line), paint)}`)]
}

function colourDiff(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint('green', line)
  if (line.startsWith('-')) return paint('red', line)
  return paint('dim', line)
}
