// Findings for people: the source with a caret, the fix as a diff, and at the end what was seen and what was not.
import type { Finding, Place } from '../finding.ts'
import { unifiedDiff } from '../line-diff.ts'
import type { Report } from './report.ts'
import { count, describeCoverage, nameOf, tallySeverities } from './wording.ts'

/** `colour`: with the escape sequences of a terminal. */
export function reportPretty(report: Report, { colour }: { readonly colour: boolean }): string {
  const paint = painter(colour)
  const parts = [...report.findings.map((finding) => describe(finding, report, paint)), summary(report, paint)]
  return `${parts.join('\n\n')}\n`
}

type Style = 'red' | 'yellow' | 'blue' | 'green' | 'bold' | 'dim'
type Paint = (style: Style, text: string) => string

const escapes: Readonly<Record<Style, string>> = {
  red: '31',
  yellow: '33',
  blue: '34',
  green: '32',
  bold: '1',
  dim: '2',
}
const styles = { error: 'red', warning: 'yellow', info: 'blue' } as const
const widthMax = 160

function painter(colour: boolean): Paint {
  return (style, text) => (colour ? `\x1b[${escapes[style]}m${text}\x1b[0m` : text)
}

function describe(finding: Finding, report: Report, paint: Paint): string {
  const { severity, code, rule, confidence, message, place } = finding
  const doubt = confidence === 'high' ? '' : paint('dim', ` (${confidence} confidence)`)
  const at = place ? `${place.file}:${place.line}:${place.column}  ` : ''
  return [
    `${paint(styles[severity], severity)} ${paint('bold', `${code} ${rule}`)}${doubt}`,
    `  ${clean(message)}`,
    `  ${paint('blue', '-->')} ${clean(at + nameOf(finding))}`,
    ...(place ? excerpt(place, report, paint) : []),
    ...finding.related.map(({ place: { file, line }, message: why }) => `  ${clean(`${file}:${line}: ${why}`)}`),
    ...describeFix(finding, report, paint),
  ].join('\n')
}

/** The line with the one before it, and carets under the place. */
function excerpt(place: Place, { texts }: Report, paint: Paint): string[] {
  const lines = texts.get(place.file)?.split('\n')
  const text = lines?.[place.line - 1]
  if (text === undefined) return []
  const gutter = String(place.line).length + 2
  const before = place.line > 1 ? [[place.line - 1, lines?.[place.line - 2] ?? ''] as const] : []
  const shown = [...before, [place.line, text] as const].map(
    ([number, line]) => `${paint('blue', `${String(number).padStart(gutter)} |`)} ${clean(line).slice(0, widthMax)}`,
  )
  const end = place.endLine === place.line ? place.endColumn : text.trimEnd().length + 1
  const lead = clean(text.slice(0, place.column - 1))
  if (lead.length >= widthMax) return shown
  const carets = '^'.repeat(Math.max(1, Math.min(end - place.column, widthMax - lead.length)))
  return [...shown, `${paint('blue', `${' '.repeat(gutter)} |`)} ${' '.repeat(lead.length)}${paint('red', carets)}`]
}

function describeFix(finding: Finding, { texts, previews }: Report, paint: Paint): string[] {
  const { fix, place } = finding
  if (!fix) return []
  const title = `  fix (${fix.safety}): ${clean(fix.title)}`
  const preview = previews.get(finding)
  if (preview && 'refused' in preview) return [title, paint('dim', `    not made here: ${clean(preview.refused)}`)]
  const before = place && texts.get(place.file)
  if (!preview || !place || before === undefined) return [title]
  const diff = unifiedDiff(place.file, before, preview.after).split('\n').slice(2, -1)
  return [title, ...diff.map((line) => `    ${colourDiff(clean(line), paint)}`)]
}

function colourDiff(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint('green', line)
  if (line.startsWith('-')) return paint('red', line)
  return paint('dim', line)
}

function summary(report: Report, paint: Paint): string {
  const { findings, coverage, skippedRules, suppressed, unusedSuppressions, known, below, version } = report
  const fixable = findings.filter((finding) => finding.fix)
  const safe = fixable.filter(({ fix }) => fix?.safety === 'safe').length
  return [
    paint('bold', tallySeverities(findings)),
    `  ${describeCoverage(coverage)}`,
    ...coverage.skipped.map(({ file, line, reason }) => {
      return `    not examined: ${clean(`${file}${line === undefined ? '' : `:${line}`}: ${reason}`)}`
    }),
    ...skippedRules.map(({ code, rule, reason }) => `    rule skipped: ${code} ${rule}: ${clean(reason)}`),
    ...(suppressed.length > 0 ? [`  ${count(suppressed.length, 'finding')} silenced by comments`] : []),
    ...unusedSuppressions.map(({ file, line, rule }) => {
      return `    silences nothing: ${clean(`${file}:${line}: doctor-ignore[${rule}]`)}`
    }),
    ...(known.length > 0 ? [`  ${count(known.length, 'finding')} known from the baseline`] : []),
    ...(below.length > 0 ? [`  ${count(below.length, 'finding')} below the asked severity or confidence`] : []),
    ...(version.declared
      ? []
      : ['  Kubernetes version: none declared, every supported one considered (--kubernetes-version)']),
    ...(fixable.length > 0
      ? [
          `  ${count(fixable.length, 'fix').replace('fixs', 'fixes')}, ${safe} of them safe: --diff shows, --fix makes the safe ones, --fix=unsafe all`,
        ]
      : []),
    ...worst(findings).map(({ code }) => `  dayfly doctor explain ${code}: why, and when not`),
  ].join('\n')
}

/** The first of the most severe. */
function worst(findings: readonly Finding[]): readonly Finding[] {
  const first = findings.find(({ severity }) => severity === 'error') ?? findings[0]
  return first ? [first] : []
}

/** Text of files may hold escape sequences, which must not reach a terminal; a tab becomes one space so that carets stay below their place. */
function clean(text: string): string {
  return text
    .replace(/\r$/, '')
    .replace(/\t/g, ' ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}
