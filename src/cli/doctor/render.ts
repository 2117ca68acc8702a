// A checked input → the text of the asked format.
import type { VersionFact } from '../../doctor/facts.ts'
import { linesOf } from '../../doctor/fixes/line-diff.ts'
import { previewFixes } from '../../doctor/fixes/preview-fixes.ts'
import { reportGithub } from '../../doctor/reporters/github.ts'
import { reportJson } from '../../doctor/reporters/json.ts'
import { reportJunit } from '../../doctor/reporters/junit.ts'
import { reportPretty } from '../../doctor/reporters/pretty.ts'
import type { Report } from '../../doctor/reporters/report.ts'
import { reportSarif } from '../../doctor/reporters/sarif.ts'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import type { DecodedFile } from '../../doctor/sources/document.ts'
import { resultColumns, resultHasColour } from '../output.ts'
import { version as tool } from '../version.ts'
import type { Checked } from './check-files.ts'
import { readPages } from './explain.ts'
import type { Format } from './options.ts'
import { whereabouts } from './whereabouts.ts'

/** `live`: a cluster was examined; its objects stand in no files. */
type Input = {
  readonly checked: Checked
  readonly files: readonly DecodedFile[]
  readonly version: VersionFact
  readonly live?: boolean
}

export function render(format: Format, { checked, files, version, live = false }: Input): string {
  const mends = format === 'pretty' || format === 'json' || format === 'sarif'
  const report: Report = {
    ...checked,
    rules: catalogue,
    version,
    tool,
    live,
    lines: mends ? linesByPath(checked, files) : new Map(),
    previews: mends ? previewFixes(checked.findings, files) : new Map(),
    pages: format === 'sarif' ? readPages() : new Map(),
  }
  switch (format) {
    case 'pretty':
      return reportPretty(report, { colour: resultHasColour(), columns: resultColumns() })
    case 'json':
      return reportJson(report)
    case 'sarif':
      return reportSarif(report, whereabouts())
    case 'github':
      return reportGithub(report, whereabouts())
    case 'junit':
      return reportJunit(report)
  }
}

/** Of the files with findings. */
function linesByPath({ findings }: Checked, files: readonly DecodedFile[]): ReadonlyMap<string, readonly string[]> {
  const named = new Set(findings.flatMap(({ place }) => place?.file ?? []))
  const own = files.filter(({ file }) => named.has(file.path))
  return new Map(own.map(({ file }) => [file.path, linesOf(file.text)]))
}
