// Renders an examination in the requested format.
import { resultColumns, resultHasColour, resultHasLinks } from '@dayfly/command-line/output'
import { version as tool } from '@dayfly/command-line/version'
import type { VersionFact } from '../facts.ts'
import { linesOf } from '../fix/line-diff.ts'
import { previewFixes } from '../fix/preview-fixes.ts'
import type { LiveExamination } from '../live/examine.ts'
import type { DecodedFile, SourceFile } from '../read/decode/document.ts'
import { reportGithub } from '../report/github.ts'
import { reportJson } from '../report/json.ts'
import { reportJunit } from '../report/junit.ts'
import { reportPretty } from '../report/pretty.ts'
import type { Report } from '../report/report.ts'
import { reportSarif } from '../report/sarif.ts'
import { catalogue } from '../rules/catalogue.ts'
import type { Checked, Selection } from './check-files.ts'
import { readPages } from './explain.ts'
import type { DoctorOptions, Format } from './options.ts'
import { repositoryPaths } from './repository-paths.ts'

type Input = { readonly version: VersionFact } & (
  | {
      readonly live: false
      readonly checked: Checked
      readonly files: readonly DecodedFile[]
      readonly sources: readonly SourceFile[]
    }
  | { readonly live: true; readonly checked: LiveExamination & Selection }
)

export function render({ format, full }: Pick<DoctorOptions, 'format' | 'full'>, input: Input): string {
  const report = reportOf(format, input)
  switch (format) {
    case 'pretty':
      return reportPretty(report, {
        colour: resultHasColour(),
        columns: resultColumns(),
        links: resultHasLinks(),
        full: full === true,
      })
    case 'json':
      return reportJson(report)
    case 'sarif':
      return reportSarif(report, repositoryPaths())
    case 'github':
      return reportGithub(report, repositoryPaths())
    case 'junit':
      return reportJunit(report)
  }
}

function reportOf(format: Format, input: Input): Report {
  const { version } = input
  const pages = format === 'sarif' ? readPages() : new Map<string, string>()
  const shared = { rules: catalogue, version, tool, pages }
  if (input.live) {
    const noFiles = { suppressed: [], unusedSuppressions: [], lines: new Map(), previews: new Map() }
    return { ...input.checked, ...shared, ...noFiles, live: true }
  }
  const { checked, files, sources } = input
  const showsFixes = format === 'pretty' || format === 'json' || format === 'sarif'
  const lines = showsFixes ? linesByPath(checked, [...files.map(({ file }) => file), ...sources]) : new Map()
  const previews = showsFixes ? previewFixes(checked.findings, files) : new Map()
  return { ...checked, ...shared, lines, previews, live: false }
}

/** Returns the lines of the files with findings. */
function linesByPath({ findings }: Checked, files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const named = new Set(findings.flatMap(({ place }) => place?.file ?? []))
  const own = files.filter((file) => named.has(file.path))
  return new Map(own.map((file) => [file.path, linesOf(file.text)]))
}
