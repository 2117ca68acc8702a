// Findings as annotations of GitHub Actions: workflow commands on stdout, which show them beside the changed lines.
import path from 'node:path'
import type { Finding, Severity } from '../finding.ts'
import type { Report } from './report.ts'
import { nameOf } from './wording.ts'

/** `prefix`: the examined folder from the repository's root, `''` or with a slash at its end. One line a finding; GitHub shows ten of each level a step. */
export function reportGithub(
  { findings, coverage, unusedSuppressions }: Report,
  { prefix }: { readonly prefix: string },
): string {
  const inRepository = (file: string) => (path.isAbsolute(file) ? file : path.posix.join(prefix, file))
  const gaps = coverage.skipped.map(({ file, line, reason }) =>
    command('warning', { file: inRepository(file), line }, `Not examined: ${reason}`),
  )
  const unused = unusedSuppressions.map(({ file, line, rule }) =>
    command('warning', { file: inRepository(file), line }, `doctor-ignore[${rule}] silences nothing here.`),
  )
  return [...findings.map((finding) => annotation(finding, inRepository)), ...gaps, ...unused]
    .map((line) => `${line}\n`)
    .join('')
}

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' }

function annotation(finding: Finding, inRepository: (file: string) => string): string {
  const { code, rule, severity, place, message } = finding
  const sameLine = place && place.line === place.endLine
  const properties = {
    file: place && inRepository(place.file),
    line: place?.line,
    endLine: place?.endLine,
    // GitHub refuses columns of a range over several lines.
    col: sameLine ? place.column : undefined,
    endColumn: sameLine ? place.endColumn : undefined,
    title: `${code} ${rule}`,
  }
  return command(levels[severity], properties, `${nameOf(finding)}: ${message}`)
}

function command(
  name: string,
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const written = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapeProperty(String(value))}`],
  )
  return `::${name} ${written.join(',')}::${escapeData(message)}`
}

function escapeData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}
